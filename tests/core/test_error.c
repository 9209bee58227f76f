#include "support/support.h"

#include <errno.h>
#include <string.h>

#include "core/error.h"

static void every_code_has_an_exit_status(void **state)
{
	static const struct {
		enum at_code code;
		int want;
	} rows[] = {
		{ AT_OK, 0 }, { AT_EIO, 1 }, { AT_ENOENT, 1 }, { AT_EEXIST, 1 }, { AT_ESTALE, 1 },
		{ AT_EPARSE, 1 }, { AT_EINVALID, 1 }, { AT_ELIMIT, 1 }, { AT_ECONFLICT, 1 },
		{ AT_EUNSAFE, 1 }, { AT_EREFUSED, 1 }, { AT_EDENIED, 2 }, { AT_EUSAGE, 2 },
	};

	for (size_t i = 0; i < AT_LEN(rows); i++)
		assert_row(i, at_exit_status(rows[i].code) == rows[i].want);
}

static void failing_fills_and_cuts(void **state)
{
	struct at_error err;
	char big[4096];

	memset(big, 'x', sizeof(big));
	big[sizeof(big) - 1] = '\0';
	assert_false(at_fail(&err, AT_EPARSE, "%s", big));
	assert_int_equal(strlen(err.message), sizeof(err.message) - 1);
	at_error_path(&err, big);
	assert_int_equal(strlen(err.path), sizeof(err.path) - 1);
	assert_false(at_fail_sys(&err, EROFS, "cannot write"));
	assert_int_equal(err.sys, EROFS);
	assert_non_null(strstr(err.message, "cannot write: "));
	assert_string_equal(err.path, "");
	assert_false(at_fail(NULL, AT_EIO, "nobody listens"));
}

int test_error(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_code_has_an_exit_status),
		cmocka_unit_test(failing_fills_and_cuts),
	};

	return cmocka_run_group_tests_name("error", tests, NULL, NULL);
}
