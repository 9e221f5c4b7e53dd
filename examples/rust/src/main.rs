//! Gets token prices from Quintet, or watches them, with tonic.
//!
//! prices price|watch TOKEN...

mod retry;

use std::env;
use std::error::Error;
use std::process::ExitCode;
use std::time::Duration;

use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Channel, ClientTlsConfig, Endpoint};
use tonic::{Request, Status};
use tonic_types::StatusExt;

use pb::TokenPrice;
use pb::token_price_service_client::TokenPriceServiceClient;
use retry::RetryPolicy;

/// The generated code: a module for each package, nested alike, because it refers to `common` through `super`.
#[allow(clippy::all)]
mod quintet {
    pub mod common {
        pub mod v1 {
            tonic::include_proto!("quintet.common.v1");
        }
    }
    pub mod tokenprice {
        pub mod v1 {
            tonic::include_proto!("quintet.tokenprice.v1");
        }
    }
}
use quintet::tokenprice::v1 as pb;

type Client = TokenPriceServiceClient<InterceptedService<Channel, Key>>;

/// The time limit of a call, including its retries.
const TIMEOUT: Duration = Duration::from_secs(10);

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let (command, tokens) = match args.split_first() {
        Some((command, tokens)) if !tokens.is_empty() && (command == "price" || command == "watch") => (command, tokens),
        _ => {
            eprintln!("usage: prices price|watch TOKEN...");
            return ExitCode::from(2);
        }
    };
    let ended = tokio::select! {
        ended = run(command, tokens) => ended,
        // Dropping a call cancels it.
        _ = tokio::signal::ctrl_c() => Ok(()),
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            match error.downcast_ref::<Status>() {
                Some(status) => print_error(status),
                None => eprintln!("{error}"),
            }
            ExitCode::FAILURE
        }
    }
}

async fn run(command: &str, tokens: &[String]) -> Result<(), Box<dyn Error>> {
    let policy = RetryPolicy::read("grpc-service-config.json")?;
    let client = TokenPriceServiceClient::with_interceptor(connect()?, Key(env::var("QUINTET_KEY").ok()));
    if command == "price" {
        price(client, &policy, tokens).await
    } else {
        watch(client, tokens).await
    }
}

/// One channel serves all calls of a program. It connects for the first call.
fn connect() -> Result<Channel, tonic::transport::Error> {
    let url = env::var("QUINTET_URL").unwrap_or_else(|_| "http://127.0.0.1:8080".into());
    let endpoint = Endpoint::from_shared(url)?.tls_config(ClientTlsConfig::new().with_native_roots())?;
    Ok(endpoint.connect_lazy())
}

/// Sends the key with every call.
#[derive(Clone)]
struct Key(Option<String>);

impl Interceptor for Key {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(key) = &self.0 {
            let value = key.parse().map_err(|_| Status::invalid_argument("QUINTET_KEY holds no key"))?;
            request.metadata_mut().insert("x-gateway-key", value);
        }
        Ok(request)
    }
}

async fn price(client: Client, policy: &RetryPolicy, tokens: &[String]) -> Result<(), Box<dyn Error>> {
    let answer = policy
        .call(TIMEOUT, |left| {
            let mut client = client.clone();
            let mut request = Request::new(pb::GetPricesRequest { tokens: tokens.to_vec(), ..Default::default() });
            request.set_timeout(left);
            async move { client.get_prices(request).await }
        })
        .await?
        .into_inner();
    print_prices(&answer.results, &answer.missing);
    Ok(())
}

/// A stream has no deadline: it continues until one side ends it.
async fn watch(mut client: Client, tokens: &[String]) -> Result<(), Box<dyn Error>> {
    let request = pb::WatchPricesRequest { tokens: tokens.to_vec(), ..Default::default() };
    let mut stream = client.watch_prices(request).await?.into_inner();
    while let Some(change) = stream.message().await? {
        print_prices(&change.results, &change.missing);
    }
    Ok(())
}

fn print_prices(results: &[TokenPrice], missing: &[String]) {
    for result in results {
        println!("{} {} USD", result.token, result.price);
    }
    for token in missing {
        println!("{token} has no price");
    }
}

/// Programs decide by the reason; the message is for people.
fn print_error(status: &Status) {
    let details = status.get_error_details();
    let reason = details.error_info().map_or_else(|| format!("{:?}", status.code()), |info| info.reason.clone());
    eprintln!("{reason}: {}", status.message());
    for violation in details.quota_failure().iter().flat_map(|quota| &quota.violations) {
        eprintln!("  quota: {}", violation.subject);
    }
    if let Some(delay) = details.retry_info().and_then(|retry| retry.retry_delay) {
        eprintln!("  retry after: {} s", delay.as_secs_f64());
    }
    for violation in details.bad_request().iter().flat_map(|bad| &bad.field_violations) {
        eprintln!("  field: {} {}", violation.field, violation.description);
    }
}
