//! Calls continuously by tonic, until its input ends, and prints the results of its calls.

use std::collections::BTreeMap;
use std::env::var;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::{Buf, BufMut, Bytes};
use http::uri::PathAndQuery;
use tokio::io::AsyncReadExt;
use tonic::client::Grpc;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Request, Status};

/// A message is just bytes: nothing here parses one.
#[derive(Default)]
struct Raw;

impl Codec for Raw {
    type Encode = Bytes;
    type Decode = Bytes;
    type Encoder = Raw;
    type Decoder = Raw;
    fn encoder(&mut self) -> Raw {
        Raw
    }
    fn decoder(&mut self) -> Raw {
        Raw
    }
}

impl Encoder for Raw {
    type Item = Bytes;
    type Error = Status;
    fn encode(&mut self, message: Bytes, into: &mut EncodeBuf<'_>) -> Result<(), Status> {
        into.put(message);
        Ok(())
    }
}

impl Decoder for Raw {
    type Item = Bytes;
    type Error = Status;
    fn decode(&mut self, from: &mut DecodeBuf<'_>) -> Result<Option<Bytes>, Status> {
        Ok(Some(from.copy_to_bytes(from.remaining())))
    }
}

#[derive(Default)]
struct Tally {
    answered: u64,
    limited: u64,
    lost: BTreeMap<String, u64>,
}

async fn call_one(channel: Channel, key: &str) -> Result<(), Status> {
    let mut client = Grpc::new(channel);
    client.ready().await.map_err(|error| Status::unavailable(error.to_string()))?;
    let mut request = Request::new(Bytes::from_static(&[10, 3, 1, 1, 5]));
    request.metadata_mut().insert("x-gateway-key", key.parse().expect("a key"));
    let path = PathAndQuery::from_static("/quintet.farkle.v1.FarkleService/Score");
    client.unary(request, path, Raw).await.map(|_| ())
}

/// Whether a call was never sent: no connection could be made, or the one that it waited for has gone.
fn was_not_sent(status: &Status) -> bool {
    match status.code() {
        Code::Unavailable => status.message().contains("connect error"),
        Code::Cancelled => status.message().contains("operation was canceled"),
        _ => false,
    }
}

/// Tries the addresses in turn. tonic's own balancer keeps using an address at which nobody listens, and fails the calls.
async fn call(channels: &[Channel], turn: usize, key: &str) -> Result<(), Status> {
    let mut outcome = Err(Status::unavailable("no address"));
    // One attempt more than there are addresses: the connection to the only one that listens may just have been lost.
    for tried in 0..=channels.len() {
        outcome = call_one(channels[(turn + tried) % channels.len()].clone(), key).await;
        if !matches!(&outcome, Err(status) if was_not_sent(status)) {
            break;
        }
    }
    outcome
}

#[tokio::main]
async fn main() {
    let port = var("PORT").expect("PORT");
    let key = var("KEY").expect("KEY");
    let at_once: usize = var("AT_ONCE").expect("AT_ONCE").parse().expect("a number");
    let pause = Duration::from_millis(var("PAUSE_MS").expect("PAUSE_MS").parse().expect("a number"));
    let hosts = var("HOSTS").expect("HOSTS");
    let channels: Vec<Channel> = hosts
        .split(',')
        .map(|host| Endpoint::from_shared(format!("http://{host}:{port}")).expect("a URI").connect_lazy())
        .collect();
    let tally = Arc::new(Mutex::new(Tally::default()));
    let is_over = Arc::new(AtomicBool::new(false));
    let calling: Vec<_> = (0..at_once)
        .map(|place| {
            let (channels, tally, is_over, key) = (channels.clone(), tally.clone(), is_over.clone(), key.clone());
            tokio::spawn(async move {
                let mut turn = place;
                while !is_over.load(Ordering::Relaxed) {
                    turn += 1;
                    let outcome = call(&channels, turn, &key).await;
                    {
                        let mut tally = tally.lock().expect("no panic");
                        match outcome {
                            Ok(()) => tally.answered += 1,
                            Err(status) if status.code() == Code::ResourceExhausted => tally.limited += 1,
                            Err(status) => {
                                *tally.lost.entry(format!("{:?}: {}", status.code(), status.message())).or_default() += 1;
                            }
                        }
                    }
                    tokio::time::sleep(pause).await;
                }
            })
        })
        .collect();
    let mut nothing = Vec::new();
    tokio::io::stdin().read_to_end(&mut nothing).await.expect("an input");
    is_over.store(true, Ordering::Relaxed);
    for one in calling {
        one.await.expect("no panic");
    }
    let tally = tally.lock().expect("no panic");
    println!("{}", serde_json::json!({ "answered": tally.answered, "limited": tally.limited, "lost": tally.lost }));
    std::process::exit(0);
}
