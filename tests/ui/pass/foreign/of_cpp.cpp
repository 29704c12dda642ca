#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

extern "C" {
double median(const double *x, int n) {
    std::vector<double> sorted(x, x + n);
    std::sort(sorted.begin(), sorted.end());
    return sorted[n / 2];
}

int first_negative(const double *x, int n, int (*told)(int)) {
    try {
        for (int i = 0; i < n; i++)
            if (x[i] < 0) throw std::out_of_range(std::to_string(i + 1));
    } catch (const std::out_of_range &e) {
        return told(std::stoi(e.what()));
    }
    return 0;
}
}
