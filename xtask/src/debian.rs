//! Packages of the system: installed on Debian, named elsewhere.

use crate::{process, setup::Program};
use anyhow::{Result, bail};
use std::{fs, process::Command};

/// Installs what is missing, or says what to do.
pub fn provide(missing: &[Program]) -> Result<()> {
    let packages: Vec<&str> = missing.iter().flat_map(|program| program.debian).copied().collect();
    let beyond: Vec<&Program> = missing.iter().filter(|program| program.debian.is_empty()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let privilege = is_debian().then(Privilege::find).flatten();
    let (Some(privilege), []) = (privilege, &beyond[..]) else {
        bail!(what_to_do(missing))
    };
    process::run(privilege.command("apt-get").args(["update", "--quiet"]))?;
    process::run(
        privilege
            .command("env")
            .args([
                "DEBIAN_FRONTEND=noninteractive",
                "apt-get",
                "install",
                "--yes",
                "--quiet",
                "--no-install-recommends",
            ])
            .args(packages),
    )
}

/// How packages may be installed.
#[derive(Clone, Copy, Debug)]
enum Privilege {
    Root,
    Sudo,
}

impl Privilege {
    fn find() -> Option<Self> {
        if process::output_of(Command::new("id").arg("-u")).is_some_and(|user| user.trim() == "0") {
            Some(Self::Root)
        } else if process::quietly(Command::new("sudo").args(["--non-interactive", "true"])) {
            Some(Self::Sudo)
        } else {
            None
        }
    }

    fn command(self, program: &str) -> Command {
        match self {
            Self::Root => Command::new(program),
            Self::Sudo => {
                let mut command = Command::new("sudo");
                command.args(["--non-interactive", program]);
                command
            }
        }
    }
}

fn is_debian() -> bool {
    fs::read_to_string("/etc/os-release").is_ok_and(|text| text.lines().any(|line| line == "ID=debian"))
}

fn what_to_do(missing: &[Program]) -> String {
    let mut text = "some programs are missing, and this system is not one on which they can be installed from here\n\
                    (that is Debian, as root or with sudo that asks for no password):\n"
        .to_owned();
    for program in missing {
        text.push_str(&format!("\n  {}\n", program.name));
        if !program.debian.is_empty() {
            text.push_str(&format!(
                "    Debian:    apt-get install {}\n",
                program.debian.join(" ")
            ));
        }
        text.push_str(&format!("    elsewhere: {}\n", program.elsewhere));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_named_with_the_way_to_get_it() {
        let text = what_to_do(&[Program {
            name: "a thing",
            debian: &["thing"],
            elsewhere: "brew install thing",
        }]);
        assert!(
            text.contains("a thing") && text.contains("apt-get install thing") && text.contains("brew install thing")
        );
    }
}
