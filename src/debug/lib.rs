//! The debugger's engine: session, commands, stepping both ways, breakpoints, views.
