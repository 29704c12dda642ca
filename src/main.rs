//! cufemu runs, checks and debugs CUDA Fortran programs. Everything is in `cli`.

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}
