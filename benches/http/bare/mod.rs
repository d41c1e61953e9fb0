//! Bare programs: warp and sqlx servers that do the least work for one kind of request.
//!
//! A bare program checks no token, no limit and no input. It converts no data that it can pass on unchanged. It uses the
//! store's schema with all keys, indexes and checks, and its commits are as durable as the server's. A write also inserts the
//! row of its activity.

mod draft;
mod postgres;
mod sqlite;

use std::convert::Infallible;
use std::sync::Arc;

use signup_core::{EventId, Name, NewOrganization, Plan, Service, Store};
use uuid::Uuid;
use warp::Filter;
use warp::http::{Method, StatusCode};
use warp::path::FullPath;

use draft::{ACTOR, Draft, activity_expires_at};

/// Runs a bare program until its process is killed.
pub(crate) fn run(arguments: &[String]) {
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        match arguments.as_slice() {
            ["fixed", body] => {
                let body: Arc<str> = (*body).into();
                serve(move |_| std::future::ready(body.to_string())).await;
            }
            ["read", "sqlite", file, rows, organization] => {
                sqlite::read(file, Rows::new(rows), id(organization)).await;
            }
            ["read", "postgres", url, rows, organization] => {
                postgres::read_as_one(url, Rows::new(rows), id(organization)).await;
            }
            ["read rows", "postgres", url, rows, organization] => {
                postgres::read(url, Rows::new(rows), id(organization), false).await;
            }
            ["count and read rows", "postgres", url, rows, organization] => {
                postgres::read(url, Rows::new(rows), id(organization), true).await;
            }
            ["create", "each"] => sqlite::create_each().await,
            ["create", "batches"] => sqlite::create_batches().await,
            ["create", "cte", url] => postgres::create_each(url).await,
            ["create", "batches", url] => postgres::create_batches(url).await,
            ["patch", "each"] => sqlite::patch_each().await,
            other => panic!("{other:?}"),
        }
    });
}

/// The rows that a request reads.
#[derive(Clone, Copy)]
enum Rows {
    /// The shifts of the event whose id is the path.
    Slots,
    /// The first page of the organization's events.
    List,
}

impl Rows {
    fn new(name: &str) -> Self {
        match name {
            "slots" => Self::Slots,
            "list" => Self::List,
            other => panic!("{other:?}"),
        }
    }
}

fn id(text: &str) -> Uuid {
    text.parse::<EventId>().unwrap().uuid()
}

/// Returns the event that the path `/{id}` names.
fn event_in(path: &FullPath) -> Uuid {
    id(&path.as_str()[1..])
}

/// Answers every request with the bytes that `work` returns for the request's path.
async fn serve<W, F>(work: W)
where
    W: Fn(FullPath) -> F + Clone + Send + Sync + 'static,
    F: Future<Output: Into<Vec<u8>>> + Send,
{
    let answer = move |method: Method, path: FullPath, _body: bytes::Bytes| {
        let work = work.clone();
        async move {
            let status = if method == Method::POST { StatusCode::CREATED } else { StatusCode::OK };
            let reply = warp::reply::with_header(work(path).await.into(), "content-type", "application/json");
            warp::reply::with_status(reply, status)
        }
    };
    let routes = warp::method().and(warp::path::full()).and(warp::body::bytes()).then(answer);
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

/// Creates an organization in a database that contains none.
async fn organization(store: impl Store) -> Uuid {
    let new = NewOrganization::new(Name::new("Bare").unwrap()).plan(Plan::Pro);
    Service::new(store).admin().create_organization(new).await.unwrap().id.uuid()
}
