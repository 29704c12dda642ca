//! cufemu: runs, checks and debugs CUDA Fortran programs.

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}
