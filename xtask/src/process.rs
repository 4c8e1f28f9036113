//! Starting other programs: each is shown before it runs, and a failure names what failed.

use anyhow::{Context as _, Result, bail};
use std::{
    env,
    io::{BufRead as _, BufReader, Write as _},
    path::PathBuf,
    process::{Command, Stdio},
};

/// The cargo that started this program.
pub fn cargo() -> Command {
    Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Shows a command, runs it and fails when it fails.
pub fn run(command: &mut Command) -> Result<()> {
    if succeeds(command)? {
        Ok(())
    } else {
        bail!("`{}` failed", shown(command))
    }
}

/// Shows a command, runs it and says whether it succeeded.
pub fn succeeds(command: &mut Command) -> Result<bool> {
    println!("$ {}", shown(command));
    let status = command
        .status()
        .with_context(|| format!("`{}` could not be started", shown(command)))?;
    Ok(status.success())
}

/// Shows a command and runs it, passing its output through line by line while `each` reads along. Says whether it succeeded.
pub fn follow(command: &mut Command, mut each: impl FnMut(&str)) -> Result<bool> {
    println!("$ {}", shown(command));
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("`{}` could not be started", shown(command)))?;
    if let Some(output) = child.stdout.take() {
        let mut lines = BufReader::new(output);
        let mut line = Vec::new();
        while lines.read_until(b'\n', &mut line)? > 0 {
            // The output of a test need not be UTF-8; what is passed on is what came.
            std::io::stdout().write_all(&line)?;
            each(String::from_utf8_lossy(&line).trim_end());
            line.clear();
        }
    }
    Ok(child.wait()?.success())
}

/// Whether a command can be started and succeeds, without showing anything.
pub fn quietly(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .output()
        .is_ok_and(|output| output.status.success())
}

/// What a command prints, when it can be started and succeeds.
pub fn output_of(command: &mut Command) -> Option<String> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Where a program is on the PATH.
pub fn find(program: &str) -> Option<PathBuf> {
    let name = format!("{program}{}", env::consts::EXE_SUFFIX);
    env::split_paths(&env::var_os("PATH")?)
        .map(|directory| directory.join(&name))
        .find(|path| path.is_file())
}

fn shown(command: &Command) -> String {
    let program = PathBuf::from(command.get_program());
    let mut words = vec![
        program
            .file_name()
            .unwrap_or(command.get_program())
            .to_string_lossy()
            .into_owned(),
    ];
    words.extend(command.get_args().map(|word| word.to_string_lossy().into_owned()));
    words.join(" ")
}
