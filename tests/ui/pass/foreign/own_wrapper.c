/* A procedure of the program that has the name of one that cufemu has too. */
void sort_int_wrapper(int *data, int n)
{
    for (int i = 0; i < n; i++)
        data[i] = -data[i];
}
