/* Group X: the network. Only loopback is ever spoken to. */
#include "runner/selftest/probe_net.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/vm_sockets.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "runner/selftest/probe.h"
#include "runner/selftest/probe_table.h"

enum { WAIT = 333 }; /* milliseconds for an answer */

/* ---- what other groups use ---- */

void say_answer(struct trial *t, const char *variant, int fd)
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };
	char bytes[64];
	ssize_t n = poll(&ready, 1, WAIT) == 1 ? recv(fd, bytes, sizeof(bytes), 0) : 0;

	if (n > 0)
		got(t, variant, bytes, (size_t)n);
	else
		worked(t, variant);
}

static struct sockaddr_in loopback4(long port)
{
	return (struct sockaddr_in){ .sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
}

/* Connects within the time; errno says why not. */
static bool connects(int fd, const void *address, socklen_t len)
{
	struct pollfd ready = { .fd = fd, .events = POLLOUT };
	int error = 0;
	socklen_t size = sizeof(error);

	if (fd < 0)
		return false;
	fcntl(fd, F_SETFL, O_NONBLOCK);
	if (connect(fd, address, len) == 0)
		return true;
	if (errno != EINPROGRESS)
		return false;
	if (poll(&ready, 1, WAIT) != 1) {
		errno = ETIMEDOUT;
		return false;
	}
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0)
		return false;
	errno = error;
	return error == 0;
}

bool own_listener(void)
{
	struct sockaddr_in address = loopback4(0);
	socklen_t len = sizeof(address);
	int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	return server >= 0 && bind(server, (struct sockaddr *)&address, len) == 0
		&& listen(server, 1) == 0
		&& getsockname(server, (struct sockaddr *)&address, &len) == 0
		&& connects(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), &address, len);
}

bool own_socket(const char *name)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", name);
	return server >= 0 && chdir(fact(AT_FACT_SCRATCH)) == 0
		&& bind(server, (struct sockaddr *)&address, sizeof(address)) == 0
		&& listen(server, 1) == 0
		&& connects(
			socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), &address, sizeof(address));
}

/* "@NAME" is an abstract one. A long path is gone to first. */
void try_unix(struct trial *t, const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	socklen_t len = sizeof(address);
	char dir[1100];
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (*path == '@') {
		size_t name = strnlen(path + 1, sizeof(address.sun_path) - 1);

		memcpy(address.sun_path + 1, path + 1, name);
		len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + name);
	} else {
		snprintf(dir, sizeof(dir), "%s", path);
		*strrchr(dir, '/') = '\0';
		if (chdir(dir) != 0) {
			tried(t, leaf(path), false);
			close(fd);
			return;
		}
		snprintf(address.sun_path, sizeof(address.sun_path), "%s", leaf(path));
	}
	if (connects(fd, &address, len))
		say_answer(t, leaf(path), fd);
	else if (*path == '@' && errno == ECONNREFUSED && !t->inside)
		absent(t, path);
	else
		tried(t, leaf(path), false);
	if (fd >= 0)
		close(fd);
}

/* ---- the cases ---- */

static void connect_stream(struct trial *t, const char *variant, int protocol)
{
	struct sockaddr_in address = loopback4(fact_number(AT_FACT_TCP4_PORT));
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, protocol);

	if (connects(fd, &address, sizeof(address)))
		say_answer(t, variant, fd);
	else
		tried(t, variant, false);
	if (fd >= 0)
		close(fd);
}

static void connect_tcp6(struct trial *t)
{
	struct sockaddr_in6 address = { .sin6_family = AF_INET6,
		.sin6_port = htons((uint16_t)fact_number(AT_FACT_TCP6_PORT)),
		.sin6_addr = IN6ADDR_LOOPBACK_INIT };
	int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (connects(fd, &address, sizeof(address)))
		say_answer(t, "TCP6", fd);
	else
		tried(t, "TCP6", false);
	if (fd >= 0)
		close(fd);
}

void try_X1(struct trial *t)
{
	if (fact_number(AT_FACT_TCP4_PORT) >= 0)
		connect_stream(t, "TCP4", 0);
	if (fact_number(AT_FACT_TCP6_PORT) >= 0)
		connect_tcp6(t);
	if (t->result == RESULT_NONE)
		absent(t, "a listener");
}

void control_X1(struct trial *t)
{
	tried(t, "its own", own_listener());
}

void try_X10(struct trial *t)
{
	try_X1(t);
}

/* Only an answer counts: a datagram can be sent into nowhere. */
static void ask_datagram(
	struct trial *t, const char *variant, bool first_connect, const void *question, size_t len)
{
	struct sockaddr_in address = loopback4(fact_number(AT_FACT_UDP_PORT));
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct pollfd ready = { .fd = fd, .events = POLLIN };
	char bytes[64];
	ssize_t n;

	if (fact_number(AT_FACT_UDP_PORT) < 0) {
		absent(t, AT_FACT_UDP_PORT);
		return;
	}
	if (fd < 0 || (first_connect && connect(fd, (void *)&address, sizeof(address)) != 0)) {
		tried(t, variant, false);
		return;
	}
	n = first_connect ? send(fd, question, len, 0)
			  : sendto(fd, question, len, 0, (void *)&address, sizeof(address));
	if (n > 0 && poll(&ready, 1, WAIT) != 1)
		errno = ETIMEDOUT;
	else if (n > 0)
		n = recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT);
	if (n > 0 && errno != ETIMEDOUT)
		got(t, variant, bytes, (size_t)n);
	else
		tried(t, variant, false);
	close(fd);
}

void try_X2(struct trial *t)
{
	errno = 0;
	ask_datagram(t, "connected", true, "at", 2);
	errno = 0;
	ask_datagram(t, "sendto", false, "at", 2);
}

void try_X3(struct trial *t)
{
	connect_stream(t, "MPTCP", 262);
	connect_stream(t, "SCTP", IPPROTO_SCTP);
}

static void try_socket(struct trial *t, const char *variant, int family, int type, int protocol)
{
	int fd = socket(family, type | SOCK_CLOEXEC, protocol);

	tried(t, variant, fd >= 0);
	if (fd >= 0)
		close(fd);
}

void try_X4(struct trial *t)
{
	try_socket(t, "raw", AF_INET, SOCK_RAW, IPPROTO_ICMP);
	try_socket(t, "packet", AF_PACKET, SOCK_RAW, 0);
	try_socket(t, "ping", AF_INET, SOCK_DGRAM, IPPROTO_ICMP);
}

/* Asks the kernel for one more address on lo; 127.9.9.9 is its own anyway. */
static bool adds_address(void)
{
	struct {
		struct nlmsghdr head;
		struct ifaddrmsg body;
		struct rtattr attribute;
		uint32_t address;
	} ask = {
		.head = { .nlmsg_len = sizeof(ask),
			.nlmsg_type = RTM_NEWADDR,
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE },
		.body = { .ifa_family = AF_INET, .ifa_prefixlen = 32, .ifa_index = 1 },
		.attribute = { .rta_len = RTA_LENGTH(4), .rta_type = IFA_LOCAL },
		.address = htonl(0x7f090909),
	};
	struct {
		struct nlmsghdr head;
		struct nlmsgerr body;
	} answer = { 0 };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	bool ok = fd >= 0 && send(fd, &ask, sizeof(ask), 0) > 0
		&& recv(fd, &answer, sizeof(answer), 0) > 0 && answer.body.error == 0;

	if (answer.body.error)
		errno = -answer.body.error;
	if (fd >= 0)
		close(fd);
	return ok;
}

void try_X5(struct trial *t)
{
	struct if_nameindex *interfaces = if_nameindex();

	for (struct if_nameindex *i = interfaces; i && i->if_name; i++) {
		if (strcmp(i->if_name, "lo") != 0)
			worked(t, i->if_name);
	}
	if (interfaces)
		if_freenameindex(interfaces);
	if (t->inside)
		tried(t, "RTM_NEWADDR", adds_address());
}

void control_X5(struct trial *t)
{
	struct if_nameindex *interfaces = if_nameindex();

	tried(t, "a dump", interfaces && interfaces->if_name);
}

/* Its ports are the host's whatever the namespace. */
void try_X6(struct trial *t)
{
	struct sockaddr_vm address = {
		.svm_family = AF_VSOCK, .svm_port = VMADDR_PORT_ANY, .svm_cid = VMADDR_CID_ANY
	};
	struct sockaddr_vm host = { .svm_family = AF_VSOCK, .svm_port = 9, .svm_cid = 2 };
	int fd = socket(AF_VSOCK, SOCK_STREAM | SOCK_CLOEXEC, 0);

	tried(t, "socket", fd >= 0);
	if (fd < 0)
		return;
	tried(t, "bind", bind(fd, (void *)&address, sizeof(address)) == 0);
	tried(t, "connect",
		connects(socket(AF_VSOCK, SOCK_STREAM | SOCK_CLOEXEC, 0), &host, sizeof(host)));
	close(fd);
}

void try_X7(struct trial *t)
{
	try_socket(t, "alg", AF_ALG, SOCK_SEQPACKET, 0);
	try_socket(t, "xdp", AF_XDP, SOCK_RAW, 0);
	try_socket(t, "tipc", AF_TIPC, SOCK_DGRAM, 0);
	try_socket(t, "bluetooth", AF_BLUETOOTH, SOCK_RAW, 1);
}

/* A question as a resolver's, to the listeners that stand for one. Names are not resolved by
 * the library: a static program has none, and no host is to be asked. */
void try_X8(struct trial *t)
{
	static const char question[] = "\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00"
				       "\x07"
				       "example\x07"
				       "invalid\x00\x00\x01\x00\x01";

	errno = 0;
	ask_datagram(t, "UDP", false, question, sizeof(question) - 1);
	if (fact_number(AT_FACT_TCP4_PORT) >= 0)
		connect_stream(t, "TCP", 0);
}
