//! What the parts of a test run found, and how it is told.

use std::{ops::AddAssign, time::Duration};

/// Numbers of checks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Checks that held.
    pub passed: u64,
    /// Checks that did not.
    pub failed: u64,
    /// Checks that were left out.
    pub skipped: u64,
}

impl Counts {
    /// A part that is one check.
    pub fn one(holds: bool) -> Self {
        Self {
            passed: u64::from(holds),
            failed: u64::from(!holds),
            skipped: 0,
        }
    }

    /// Adds what a line of `cargo test` says, if it is the last line of a test program.
    pub fn add_line(&mut self, line: &str) {
        let Some(result) = line.strip_prefix("test result: ") else {
            return;
        };
        let number_before = |word: &str| -> u64 {
            let words: Vec<&str> = result.split([' ', ';', '.']).filter(|word| !word.is_empty()).collect();
            let position = words.iter().position(|candidate| *candidate == word);
            position
                .and_then(|position| words.get(position.checked_sub(1)?)?.parse().ok())
                .unwrap_or(0)
        };
        *self += Self {
            passed: number_before("passed"),
            failed: number_before("failed"),
            skipped: number_before("ignored"),
        };
    }

    /// A run that did not succeed has failed, also when no single check says so: it may not even have compiled.
    pub fn or_failed(mut self, succeeded: bool) -> Self {
        if !succeeded && self.failed == 0 {
            self.failed = 1;
        }
        self
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

/// The parts of a run, in their order.
#[derive(Debug, Default)]
pub struct Summary {
    rows: Vec<(String, Duration, Counts)>,
}

impl Summary {
    /// Notes a part and prints its line.
    pub fn note(&mut self, part: &str, seconds: Duration, counts: Counts) {
        println!("== {}", row(part, seconds, counts));
        self.rows.push((part.to_owned(), seconds, counts));
    }

    /// The sum over all parts.
    pub fn total(&self) -> Counts {
        let mut total = Counts::default();
        for (_, _, counts) in &self.rows {
            total += *counts;
        }
        total
    }

    /// Prints the table, whose last line is for other programs to read.
    pub fn print(&self) {
        println!();
        for (part, seconds, counts) in &self.rows {
            println!("{}", row(part, *seconds, *counts));
        }
        let seconds = self.rows.iter().map(|(_, seconds, _)| *seconds).sum();
        let total = self.total();
        println!("{}", row("all", seconds, total));
        println!("{} passed, {} failed", total.passed, total.failed);
    }
}

fn row(part: &str, seconds: Duration, counts: Counts) -> String {
    let skipped = if counts.skipped == 0 {
        String::new()
    } else {
        format!(", {} skipped", counts.skipped)
    };
    let seconds = seconds.as_secs_f64();
    format!(
        "{part:<12} {seconds:>7.1} s {:>6} passed, {} failed{skipped}",
        counts.passed, counts.failed
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_of_test_programs_are_added_up() {
        let mut counts = Counts::default();
        counts.add_line("running 14 tests");
        counts
            .add_line("test result: ok. 12 passed; 0 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.31s");
        counts.add_line("test test_result::is_read ... ok");
        counts.add_line(
            "test result: FAILED. 3 passed; 1 failed; 0 ignored; 0 measured; 7 filtered out; finished in 1.00s",
        );
        assert_eq!(
            counts,
            Counts {
                passed: 15,
                failed: 1,
                skipped: 2
            }
        );
    }

    #[test]
    fn a_run_without_a_failed_check_can_have_failed() {
        let counts = Counts {
            passed: 3,
            ..Counts::default()
        };
        assert_eq!(counts.or_failed(false).failed, 1);
        assert_eq!(counts.or_failed(true).failed, 0);
        assert_eq!(Counts { failed: 2, ..counts }.or_failed(false).failed, 2);
    }
}
