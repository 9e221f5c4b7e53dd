//! Retries calls as the service config says. tonic does not read service configs, so this does.

use std::error::Error;
use std::fs;
use std::time::Duration;

use serde::Deserialize;
use tokio::time::{Instant, sleep, timeout_at};
use tonic::{Response, Status};
use tonic_types::StatusExt;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ServiceConfig {
    method_config: Vec<MethodConfig>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct MethodConfig {
    /// None if a call must not be repeated, because it changes something.
    retry_policy: Option<RetryPolicy>,
}

/// How often, and after which failures, a call is repeated.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RetryPolicy {
    max_attempts: u32,
    initial_backoff: String,
    max_backoff: String,
    backoff_multiplier: f64,
    retryable_status_codes: Vec<String>,
}

impl RetryPolicy {
    /// The first policy of a service config, which is the one for the data services.
    pub fn read(path: &str) -> Result<Self, Box<dyn Error>> {
        let text = fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
        let config: ServiceConfig = serde_json::from_str(&text)?;
        let first = config.method_config.into_iter().next().ok_or("the service config has no policy")?;
        Ok(first.retry_policy.ok_or("the service config says that calls for prices must not be repeated")?)
    }

    /// Makes a call, and retries it if that may help. `attempt` is given the time that is left.
    pub async fn call<T, F>(&self, timeout: Duration, attempt: impl Fn(Duration) -> F) -> Result<Response<T>, Status>
    where
        F: Future<Output = Result<Response<T>, Status>>,
    {
        let deadline = Instant::now() + timeout;
        let mut backoff = seconds(&self.initial_backoff);
        for attempts in 1.. {
            let left = deadline.saturating_duration_since(Instant::now());
            let ended = timeout_at(deadline, attempt(left)).await.unwrap_or_else(|_| late());
            let Err(status) = ended else { return ended };
            // tonic reports this as cancelled if its own timer fires first.
            if Instant::now() >= deadline {
                return late();
            }
            let wait = self.wait(&status, backoff);
            match wait {
                // A wait beyond the deadline, such as until the next month, is not worth it.
                Some(wait) if attempts < self.max_attempts && Instant::now() + wait < deadline => sleep(wait).await,
                _ => return Err(status),
            }
            backoff = (backoff.mul_f64(self.backoff_multiplier)).min(seconds(&self.max_backoff));
        }
        unreachable!("the last attempt returns")
    }

    /// How long to wait after this failure: as long as the server says, or None if another attempt does not help.
    fn wait(&self, status: &Status, backoff: Duration) -> Option<Duration> {
        let name = match status.code() {
            tonic::Code::Unavailable => "UNAVAILABLE",
            tonic::Code::ResourceExhausted => "RESOURCE_EXHAUSTED",
            _ => return None,
        };
        let told = status.get_details_retry_info().and_then(|retry| retry.retry_delay);
        let is_retryable = self.retryable_status_codes.iter().any(|code| code == name);
        // Retrying helps only with limits on calls, not with others such as the size of a message.
        let may_help = told.is_some() || status.code() == tonic::Code::Unavailable;
        (is_retryable && may_help).then(|| told.unwrap_or(backoff))
    }
}

fn late<T>() -> Result<T, Status> {
    Err(Status::deadline_exceeded("the deadline has passed"))
}

/// "0.2s", in the format of the service config.
fn seconds(text: &str) -> Duration {
    Duration::from_secs_f64(text.trim_end_matches('s').parse().unwrap_or(1.0))
}
