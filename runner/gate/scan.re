/* What the scanner knows by its shape: re2c makes scan_match() and scan_match_phrase() of it when
 * the program is built. Each tells the longest pattern that begins at a place. The text is what
 * scan_fold made, so a blank is one ' ', and NUL is the end of what is there: no class may hold
 * it. No repeat is unbounded, which keeps the whole linear; a pattern ends where it is certain,
 * not where the token ends. (GATE-4) */
#include "runner/gate/scan_parts.h"

#define YYPEEK() ((unsigned char)*cursor)
#define YYSKIP() (++cursor, ++steps)
#define YYBACKUP() (marker = cursor)
#define YYRESTORE() (cursor = marker)

/*!re2c
	re2c:yyfill:enable = 0;
	re2c:flags:input = custom;
	re2c:define:YYCTYPE = "unsigned char";

	alnum = [A-Za-z0-9];
	url64 = [A-Za-z0-9_-];
	hex = [0-9a-fA-F];
	quote = ["'];
	gives = quote? " "? [:=] " "?;
	gap = " " | " "? "\n" " "?;
	not_word = [^\x00A-Za-z0-9_];
*/

enum scan_rule scan_match(const char *at, size_t *len, size_t *work)
{
	const char *cursor = at, *marker = at;
	size_t steps = 0;
	enum scan_rule rule;

	/*!re2c
	// Keys with a prefix of their own.
	"AKIA" [A-Z0-9]{16} { rule = SCAN_AWS; goto found; }
	'aws_secret' '_access'? '_key' gives quote? [A-Za-z0-9/+]{40}
		{ rule = SCAN_AWS_SECRET; goto found; }
	"gh" [pousr] "_" alnum{36} | "github_pat_" [A-Za-z0-9_]{60} | "v1." hex{40} "-ghs"
		{ rule = SCAN_GITHUB; goto found; }
	"gl" ("pat" | "dt" | "rt" | "cbt" | "ptt" | "soat" | "agent" | "oas") "-" url64{20}
		{ rule = SCAN_GITLAB; goto found; }
	"xox" [abeprs] "-" [A-Za-z0-9-]{10} | "xapp-" [0-9] "-" [A-Za-z0-9-]{10}
		{ rule = SCAN_SLACK; goto found; }
	"hooks.slack.com/" ("services" | "workflows" | "triggers") "/" [A-Za-z0-9/]{20}
	| "discord" "app"? ".com/api/webhooks/" [0-9]{16,20} "/" url64{40}
		{ rule = SCAN_WEBHOOK; goto found; }
	[sr] "k_" ("live" | "test") "_" alnum{16} | "whsec_" [A-Za-z0-9+/]{24}
		{ rule = SCAN_STRIPE; goto found; }
	"sk-ant-" url64{16} | "sk-" ("proj" | "svcacct" | "admin" | "or-v1") "-" url64{20}
	| "sk-" alnum{32} | "xai-" alnum{40} | "gsk_" alnum{40} | "pplx-" alnum{40}
	| "hf_" alnum{30} | "r8_" alnum{37}
		{ rule = SCAN_MODEL_KEY; goto found; }
	"AIza" url64{35} | "GOCSPX-" url64{20} | "ya29." url64{20}
		{ rule = SCAN_GOOGLE; goto found; }
	"npm_" alnum{36} | "pypi-" url64{50} | "rubygems_" [0-9a-f]{48} | "dckr_pat_" url64{20}
		{ rule = SCAN_REGISTRY; goto found; }
	"SG." url64{22} "." url64{20} | "do" [opr] "_v1_" [0-9a-f]{64} | "shp" [a-z]{2} "_" hex{32}
	| "dapi" [0-9a-f]{32} | "hv" [sbr] "." url64{24} | "dp.pt." alnum{40} | "lin_api_" alnum{40}
	| "AGE-SECRET-KEY-1" [A-Z0-9]{58} | "ntn_" alnum{40} | "glsa_" alnum{32}
	| [0-9]{8,10} ":AA" url64{33}
		{ rule = SCAN_SERVICE; goto found; }

	// What is called a secret.
	'api' [_-]? 'key' gives quote? url64{20} { rule = SCAN_API_KEY; goto found; }
	"Bearer " [A-Za-z0-9._~+/=-]{20} { rule = SCAN_BEARER; goto found; }
	"--" "-"{0,3} " "? "BEGIN " ([A-Z0-9]{1,12} " "){0,3} "PRIVATE KEY" " BLOCK"? " "? "--"
	| "PuTTY-User-Key-File-" [0-9] ": "
		{ rule = SCAN_PRIVATE_KEY; goto found; }
	('password' | 'passwd') gives (["] [^\x00"\n]{4} | ['] [^\x00'\n]{4})
		{ rule = SCAN_PASSWORD; goto found; }
	'pwd' gives (["] [^\x00"\n]{4} | ['] [^\x00'\n]{4}) { rule = SCAN_PWD; goto found; }
	('postgres' 'ql'? | 'mysql' [2x]? | 'mariadb' | 'mongodb' | 'redis' 's'? | 'amqp' 's'? | 'mssql'
	| 'sqlserver' | 'oracle' | 'clickhouse' | 'cockroachdb' | 'nats' | 'kafka' | 'smtp' 's'?
	| 'imap' 's'? | 'ldap' 's'? | 'sftp' | 'couchdb' | 'neo4j' 's'? | 'bolt' | 'valkey' 's'?)
	("+" [a-z0-9_]{1,20})? "://"
		{ rule = SCAN_CONNECTION; goto found; }

	// Whose machine it is.
	"/" ("Users" | "home") "/" [A-Za-z] [A-Za-z0-9._-] { rule = SCAN_HOME; goto found; }
	[A-Z] ":\\" "\\"? "Users\\" "\\"? [A-Za-z] [A-Za-z0-9._-] { rule = SCAN_USERS; goto found; }

	// What is left to be filled in.
	"{" ("TODO" | "TBD" | "FIXME" | "XXX" | "NOTE" | "NAME" | "URL" | "PATH") "}"
		{ rule = SCAN_NOTHING; goto found; }
	"{" [A-Z] [A-Z0-9_]{2,63} "}" { rule = SCAN_PLACEHOLDER; goto found; }
	"{MANUAL:" [A-Z] [A-Z0-9_]{0,63} "}" { rule = SCAN_MANUAL; goto found; }

	// What is around it.
	('http' 's'? | 'ws' 's'? | 'ftp' 's'?) "://" { rule = SCAN_URL; goto found; }
	"sha" ("1" | "256" | "384" | "512") [-:] | "h1:"
	| "ssh-" ("rsa" | "dss" | "ed25519") " AAAA" | "ecdsa-sha2-nistp" [0-9]{3} " AAAA"
	| "data:" ("image" | "font" | "audio" | "video") "/" [A-Za-z0-9.+-]{1,40} ";base64,"
		{ rule = SCAN_PUBLIC; goto found; }
	('secret' | 'token' | 'credential' | 'auth' | 'password' | 'passwd' | 'bearer'
	| 'private key')
		{ rule = SCAN_SECRET_WORD; goto found; }
	'sha' "-"? ("1" | "256" | "384" | "512") | 'md5' | 'digest' | 'checksum' | 'commit'
	| 'fingerprint' | 'integrity'
		{ rule = SCAN_DIGEST_WORD; goto found; }
	"<!--" { rule = SCAN_COMMENT; goto found; }
	"```" | "~~~" { rule = SCAN_FENCE; goto found; }
	* { rule = SCAN_NOTHING; goto found; }
	*/
found:
	*len = (size_t)(cursor - at);
	*work += steps;
	return rule;
}

enum scan_rule scan_match_phrase(const char *at, size_t *len, size_t *work)
{
	const char *cursor = at, *marker = at;
	size_t steps = 0;
	enum scan_rule rule;

	/*!re2c
	'ignore' gap ('all' | ('all' gap)? ('previous' | 'prior')) gap 'instructions'
	| 'disregard' gap 'the' gap 'above'
	| 'new' gap 'instructions:' | 'system' gap 'override:' | 'security' gap 'bypass:'
		{ rule = SCAN_OVERRIDE; goto found; }
	'supersedes' gap 'all' gap ('prior' | 'previous') gap 'instructions'
	| 'takes' gap 'precedence' gap 'over' gap 'all' gap 'instructions'
	| 'override' gap 'all' gap 'prior' gap 'instructions'
		{ rule = SCAN_TIER; goto found; }
	// One line alone: prose that is wrapped there says it by chance.
	('you are now' | 'your new role is') not_word { rule = SCAN_IDENTITY; goto found; }
	'you are now' | 'your new role is' { rule = SCAN_NOTHING; goto found; }
	* { rule = SCAN_NOTHING; goto found; }
	*/
found:
	*len = (size_t)(cursor - at);
	*work += steps;
	return rule;
}
