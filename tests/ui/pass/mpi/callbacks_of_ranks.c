static void (*kept)(int);

void call_now(void (*callback)(int), int number) {
    callback(number);
}

void keep(void (*callback)(int)) {
    kept = callback;
}

void call_kept(int number) {
    kept(number);
}
