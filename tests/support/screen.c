#include "support/screen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/support.h"

void screen_keys(struct at_app *app, const char *keys)
{
	char copy[512], *save = NULL;

	snprintf(copy, sizeof(copy), "%s", keys);
	for (char *name = strtok_r(copy, " ", &save); name; name = strtok_r(NULL, " ", &save)) {
		struct at_event event = { .kind = AT_EVENT_KEY };

		if (!at_key_parse(&event.key, name))
			fail_msg("%s is no key", name);
		at_app_step(app, &event);
	}
}

const char *screen_text(struct at_app *app)
{
	static struct at_buf out;
	struct at_grid grid = { 0 };

	at_app_paint(app, &grid);
	at_app_painted(app);
	at_buf_free(&out);
	at_dump_text(&grid, &out);
	at_grid_free(&grid);
	return at_buf_text(&out);
}

void screen_golden(struct at_app *app, enum at_theme_id theme, const char *name)
{
	struct at_backend *memory = at_backend_memory(256, theme);
	const char *update = getenv("AT_UPDATE_GOLDEN");
	struct at_grid grid = { 0 };
	struct at_buf now = { 0 }, was;
	char file[128];

	snprintf(file, sizeof(file), "golden/%s.grid", name);
	at_app_paint(app, &grid);
	memory->show(memory, &grid, true);
	at_app_painted(app);
	at_golden_print(at_backend_memory_grid(memory), &memory->theme, &now);
	if (update && *update)
		test_write_bytes(test_data(), file, now.data, now.len);
	was = test_read(NULL, file);
	if (!at_bytes_equal(at_buf_bytes(&was), at_buf_bytes(&now)))
		fail_msg("%s differs; AT_UPDATE_GOLDEN=1 writes it anew. Now it is\n%s", file,
			at_buf_text(&now));
	at_buf_free(&was);
	at_buf_free(&now);
	at_grid_free(&grid);
	memory->close(memory);
}
