//! Named points at which a test build can be told to stumble: `ONCEMART_FAULT=after_claim:abort,before_answer:delay:400`.
//!
//! Armed only where debug assertions are on; a release build refuses the variable and compiles the points to nothing.

use std::{path::PathBuf, sync::Arc, time::Duration};

/// Where the program can stumble.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultPoint {
    /// The claim is committed, nothing else.
    AfterClaim,
    /// The intent is committed, the outside not yet asked.
    AfterIntent,
    /// The outside has answered, nothing of it is stored.
    AfterAsking,
    /// The business transaction holds its fence.
    AfterFence,
    /// The business transaction is committed.
    AfterCommit,
    /// The outcome is known, the answer not yet on its way.
    BeforeAnswer,
}

/// What happens at a point.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Action {
    /// The process ends at once, as by `kill -9`.
    Abort,
    /// The work goes on later.
    Delay(Duration),
    /// The file is created and the work goes on when somebody has removed it.
    Hold(PathBuf),
    /// The work panics.
    Panic,
}

/// The faults that are armed; none by default.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    armed: Arc<Vec<(FaultPoint, Action)>>,
}

impl Faults {
    /// Reads `point:action[:argument]`, several separated by commas.
    pub fn parse(text: &str) -> Result<Self, String> {
        let armed = text
            .split(',')
            .filter(|part| !part.is_empty())
            .map(parse_one)
            .collect::<Result<Vec<_>, _>>()?;
        if !armed.is_empty() && !cfg!(debug_assertions) {
            return Err("ONCEMART_FAULT: this is a release build, which has no fault points; unset it".to_owned());
        }
        Ok(Self { armed: Arc::new(armed) })
    }

    /// Passes a point.
    pub async fn pass(&self, point: FaultPoint) {
        if !cfg!(debug_assertions) {
            return;
        }
        for (armed, action) in self.armed.iter() {
            if *armed == point {
                action.happen().await;
            }
        }
    }
}

impl Action {
    async fn happen(&self) {
        match self {
            Self::Abort => std::process::abort(),
            Self::Delay(duration) => tokio::time::sleep(*duration).await,
            Self::Hold(path) => {
                if let Err(error) = std::fs::write(path, b"") {
                    tracing::error!(%error, "a fault point cannot hold");
                }
                while path.exists() {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
            }
            Self::Panic => panic!("a fault point panics, as it was told to"),
        }
    }
}

fn parse_one(text: &str) -> Result<(FaultPoint, Action), String> {
    let mut parts = text.splitn(3, ':');
    let (point, action, argument) = (parts.next().unwrap_or(""), parts.next().unwrap_or(""), parts.next());
    let point = match point {
        "after_claim" => FaultPoint::AfterClaim,
        "after_intent" => FaultPoint::AfterIntent,
        "after_asking" => FaultPoint::AfterAsking,
        "after_fence" => FaultPoint::AfterFence,
        "after_commit" => FaultPoint::AfterCommit,
        "before_answer" => FaultPoint::BeforeAnswer,
        _ => {
            return Err(format!(
                "ONCEMART_FAULT: there is no point '{point}'; use after_claim, after_intent, after_asking, after_fence, after_commit or before_answer"
            ));
        }
    };
    let action = match (action, argument) {
        ("abort", None) => Action::Abort,
        ("panic", None) => Action::Panic,
        ("delay", Some(milliseconds)) => {
            Action::Delay(Duration::from_millis(milliseconds.parse().map_err(|_| {
                format!("ONCEMART_FAULT: '{milliseconds}' is not a number of milliseconds")
            })?))
        }
        ("hold", Some(path)) => Action::Hold(PathBuf::from(path)),
        _ => {
            return Err(format!(
                "ONCEMART_FAULT: '{text}' is not point:abort, point:panic, point:delay:MS or point:hold:FILE"
            ));
        }
    };
    Ok((point, action))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_fault_is_refused_with_the_names_that_exist() {
        assert!(Faults::parse("after_lunch:abort").unwrap_err().contains("after_claim"));
        assert!(Faults::parse("after_claim:explode").is_err());
        assert!(Faults::parse("after_claim:delay:soon").is_err());
    }

    #[test]
    fn several_faults_can_be_armed() {
        let faults = Faults::parse("after_claim:delay:5,after_commit:abort").unwrap();
        assert_eq!(faults.armed.len(), 2);
    }
}
