/* A procedure that many.cuf declares. */
void many_arguments(void) {}
