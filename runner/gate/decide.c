#include "runner/gate/decide.h"

#include <stdio.h>
#include <string.h>

#include "core/mem.h"

#define TOLD 3 /* findings that a deny names */

/* Messages are the scanner's constants: nothing of the text, nothing of the path. */
static void deny(struct gate_verdict *out, const struct scan_result *found)
{
	size_t told = 0, len;

	*out = (struct gate_verdict){
		.decision = GATE_DENY, .reason_id = "content", .class = "content"
	};
	len = (size_t)snprintf(out->reason, sizeof(out->reason), "HALT: ");
	for (size_t i = 0; i < found->count && told < TOLD; i++) {
		const struct scan_finding *f = &found->findings[i];

		if (f->severity != SCAN_HIGH)
			continue;
		len += (size_t)snprintf(out->reason + len, sizeof(out->reason) - len,
			"%sL%zu [%s] %.120s", told++ ? "; " : "", f->line, f->category, f->message);
	}
	snprintf(out->reason + len, sizeof(out->reason) - len,
		". Take it out of the text, name a variable or a file in its place, and write again.");
}

static void judge_content(
	struct gate_judgement *out, const struct gate_call *call, const struct gate_place *place)
{
	if (!call->text.len)
		return;
	scan_text(&out->found, call->text, gate_place_may_quote(place, call->path));
	for (size_t i = 0; i < out->found.count; i++) {
		if (out->found.findings[i].severity == SCAN_HIGH) {
			deny(&out->verdict, &out->found);
			return;
		}
	}
}

void gate_judge_call(struct gate_judgement *out, const struct gate_call *call,
	const struct gate_context *context, const struct gate_place *place)
{
	memset(out, 0, sizeof(*out));
	out->verdict.reason_id = out->verdict.class = "";
	if (call->kind == GATE_COMMAND && call->command.len)
		gate_judge_command(&out->verdict, call->command, context);
	else if (call->kind == GATE_CONTENT)
		judge_content(out, call, place);
}
