#include "views/runner_site.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/mem.h"
#include "keys/pem.h"
#include "views/key_place.h"

#define VERIFY_KEYS ".config/agentteams/verify-keys"

/* The public keys of direct grants are the operator's own, outside the project. */
static bool find_key(void *context, struct at_public_key *out, const char *key_id,
	struct at_error *err)
{
	struct at_session *session = context;
	struct at_custody_place place = at_key_place(session);
	char path[PATH_MAX], name[160];
	struct at_file file;
	int dir;
	bool ok;

	if (!at_key_id_is_sound(at_bytes_of(key_id)))
		return at_fail(err, AT_EINVALID, "`%s` can name no key", key_id);
	if ((size_t)snprintf(path, sizeof(path), "%s/" VERIFY_KEYS, session->host.home)
			>= sizeof(path)
		|| (size_t)snprintf(name, sizeof(name), "%s.pub.pem", key_id) >= sizeof(name))
		return at_fail(err, AT_ELIMIT, "the path of key `%s` is too long", key_id);
	dir = at_custody_open_dir(path, &place, err);
	if (dir < 0)
		return false;
	ok = at_file_read(&file, dir, name, AT_CUSTODY_CAP, AT_FILE_NO_DIGEST, err)
		&& at_pem_read_public(out, at_buf_bytes(&file.bytes), name, err);
	at_file_free(&file);
	close(dir);
	return ok;
}

/* The brief's absolute path; "" where there is none to name. */
static const char *brief_of(struct at_session *session)
{
	const char *named = session->options->description;
	char *real;
	const char *kept;

	if (*session->brief_place)
		return at_arena_printf(
			session->arena, "%s/%s", session->path, session->brief_place);
	real = named ? realpath(named, NULL) : NULL;
	kept = at_arena_strdup(session->arena, real ? real : "");
	free(real);
	return kept;
}

void at_runner_site_setup(struct at_runner_setup *out, struct at_session *session)
{
	static const struct at_runner_server servers[] = {
		{ ".agentteams/bin/agentteams-runner-mcp", NULL },
		{ ".agentteams/bin/agentteams-runner-mcp.py", NULL },
		{ ".agentteams/bin/agentteams-readfs-mcp", NULL },
	};

	*out = (struct at_runner_setup){
		.project = session->path,
		.root = session->project.fd,
		.state = &session->state,
		.home = session->host.home,
		.environment = session->host.environment,
		.brief = brief_of(session),
		.brief_place = session->brief_place,
		.place = at_key_place(session),
		.verify_keys = { find_key, session },
		.servers = servers,
		.server_count = AT_LEN(servers),
	};
}

static bool ask_queue(struct at_buf *result, struct at_session *session, struct at_bytes request,
	unsigned seconds, struct at_error *err)
{
	char id[AT_QUEUE_ID];

	return at_client_queue(id, session->project.fd, request, err)
		&& at_client_wait(result, session->project.fd, id, seconds, err);
}

/* A runner for one act: with the lock, so that nobody serves beside it. */
static bool ask_own(struct at_buf *result, struct at_session *session, struct at_bytes request,
	struct at_error *err)
{
	struct at_runner_setup setup;
	struct at_runner *runner;
	bool ok;

	if (!at_session_may_use_keys(session, err))
		return false;
	at_runner_site_setup(&setup, session);
	if (!at_runner_open(&runner, &setup, err))
		return false;
	ok = at_runner_ask(runner, request, result, err) || result->len;
	at_runner_close(runner);
	return ok;
}

static bool is_no_runner(const struct at_error *err)
{
	return strcmp(err->id, "no-runner") == 0;
}

bool at_runner_site_ask(struct at_buf *result, struct at_session *session,
	const struct at_request_words *words, enum at_ask_way way, unsigned seconds,
	struct at_error *err)
{
	struct at_buf text = { 0 };
	struct at_bytes request;
	bool is_agents = session->host.agent_marker != NULL, ok;

	at_request_put(&text, words);
	request = at_buf_bytes(&text);
	if (way == AT_ASK_OPERATOR && !is_agents)
		ok = at_client_operator(result, &session->state, request, seconds, err);
	else
		ok = ask_queue(result, session, request, seconds, err);
	if (!ok && is_no_runner(err) && way != AT_ASK_QUEUE && !is_agents)
		ok = ask_own(result, session, request, err);
	at_buf_free(&text);
	return ok;
}
