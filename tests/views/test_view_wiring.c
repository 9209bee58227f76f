int test_view_wiring(void);
int test_view_wiring(void)
{
	return 0;
}
