/* A procedure that race.cuf calls. */
void clear(float *x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = 0;
}
