//! The bare programs: warp and sqlx, and the least that a server for this one thing has to do. No token, no limits, no
//! input that is looked at, nothing turned from one form into another.
//!
//! They work on the real schema with its keys, indexes and checks, and are as durable as the server.

mod draft;
mod postgres;
mod sqlite;

use std::convert::Infallible;
use std::sync::Arc;

use signup_core::{EventId, Name, NewOrganization, Plan, Service, Store};
use uuid::Uuid;
use warp::Filter;
use warp::http::{Method, StatusCode};

use draft::Draft;

/// Runs a bare program until it is killed.
pub(crate) fn run(arguments: &[String]) {
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        match arguments.as_slice() {
            ["fixed", body] => {
                let body: Arc<str> = (*body).into();
                serve(move || std::future::ready(body.to_string())).await;
            }
            ["read", "sqlite", file, rows, organization, event] => {
                sqlite::read(file, rows, id(organization), id(event)).await;
            }
            ["read", "postgres", url, rows, organization, event] => {
                postgres::read_as_one(url, rows, id(organization), id(event)).await;
            }
            ["read rows", "postgres", url, rows, organization, event] => {
                postgres::read(url, rows, id(organization), id(event), false).await;
            }
            ["count and read rows", "postgres", url, rows, organization, event] => {
                postgres::read(url, rows, id(organization), id(event), true).await;
            }
            ["create", "each"] => sqlite::create_each().await,
            ["create", "batches"] => sqlite::create_batches().await,
            ["create", "cte", url] => postgres::create(url).await,
            ["patch", "each"] => sqlite::patch_each().await,
            other => panic!("{other:?}"),
        }
    });
}

fn id(text: &str) -> Uuid {
    text.parse::<EventId>().unwrap().uuid()
}

/// Answers every request with what `work` gives.
async fn serve<W, F>(work: W)
where
    W: Fn() -> F + Clone + Send + Sync + 'static,
    F: Future<Output: Into<Vec<u8>>> + Send,
{
    let answer = move |method: Method, _body: bytes::Bytes| {
        let work = work.clone();
        async move {
            let status = if method == Method::POST { StatusCode::CREATED } else { StatusCode::OK };
            let reply = warp::reply::with_header(work().await.into(), "content-type", "application/json");
            warp::reply::with_status(reply, status)
        }
    };
    let routes = warp::any().and(warp::method()).and(warp::body::bytes()).then(answer);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    println!("port {}", listener.local_addr().unwrap().port());
    let service = warp::service(routes.recover(|_| async { Ok::<_, Infallible>(StatusCode::NOT_FOUND) }));
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        stream.set_nodelay(true).unwrap();
        let service = hyper_util::service::TowerToHyperService::new(service.clone());
        tokio::spawn(async move {
            let stream = hyper_util::rt::TokioIo::new(stream);
            hyper::server::conn::http1::Builder::new().serve_connection(stream, service).await
        });
    }
}

/// An organization in a database that the store has just made.
async fn organization(store: impl Store) -> Uuid {
    let new = NewOrganization::new(Name::new("Bare").unwrap()).plan(Plan::Pro);
    Service::new(store).admin().create_organization(new).await.unwrap().id.uuid()
}
