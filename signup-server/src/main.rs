//! The Signup service over HTTP: a thin mapping of requests, command lines and signals onto `signup_core::Service`.
//!
//! **Invariant:** no rule is decided here, and only this file opens a store.

mod admin;
mod app;
mod body_memory;
mod calendar;
mod call;
mod compression;
mod config;
mod console;
mod descriptors;
mod handlers;
mod health;
mod linked_text;
mod mail;
mod mcp;
mod metrics;
mod openapi;
mod output;
mod page;
mod path;
mod plain;
mod reference;
mod reply;
mod request;
mod request_body;
mod route;
mod routes;
#[cfg(test)]
mod sample_event;
mod serve;
mod signup_table;
mod similar;
#[cfg(test)]
mod simulation;
mod texts;
mod tls;
mod upkeep;
mod webhook;
mod wire;
mod worker;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::error::ErrorKind;
use signup_core::{
    Admin, Name, NewOrganization, NewToken, Plan, Scopes, Service, SignedDuration, Store, TokioClock,
};
use signup_store_memory::MemoryStore;
use signup_store_sql::{OpenError, PostgresOptions, PostgresStore, ServingLock, SqliteStore};
use tokio::net::TcpSocket;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;
use tracing::Level;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use app::App;
use body_memory::BodyMemory;
use config::{BaseUrl, Cli, Command, Database, LogFormat, Options};
use descriptors::ConnectionLimit;
use mail::{MailQueue, Mailer};
use metrics::Metrics;
use openapi::OpenApi;
use output::Failure;
use page::Facts;
use reference::Reference;
use reply::WithSources;
use webhook::{Sender, WebhookQueue};

/// With this allocator, a request takes 10 % less time than with the system's allocator. The process uses some MB more.
/// Its feature `no_thp` keeps the kernel from using pages of 2 MB for the heap. With such pages, the process has 70 MB instead
/// of 47 MB after 100,000 mixed requests on SQLite, and is not faster.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How long a shutdown waits for the mail and the requests to webhooks in flight, after the requests of clients: the timeout of
/// most answers of a mail server, plus a margin. A mail server may take longer to answer the content of a mail. Such a mail may be
/// sent again.
const WORKER_TIMEOUT: Duration = Duration::from_secs(12);
/// The exit code for a flag or a value that cannot be used.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    let cli = match Cli::from_arguments() {
        Ok(cli) => cli,
        Err(error) if !error.use_stderr() => {
            // `--help` and `--version` are not failures.
            return exit(error.print().map_err(Failure::from));
        }
        Err(error) => {
            if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
                // Without standard error, no output is left.
                drop(error.print());
            } else {
                output::print_error(&config::usage_line(error));
            }
            return ExitCode::from(USAGE);
        }
    };
    init_logging(&cli);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let result = match runtime {
        Ok(runtime) => {
            let result = runtime.block_on(run(cli));
            // Does not wait for blocking threads: one may still be resolving a host name.
            runtime.shutdown_background();
            result
        }
        Err(error) => Err(format!("cannot start: {error}").into()),
    };
    exit(result)
}

/// Prints the line of a failure, and returns the exit code.
fn exit(result: Result<(), Failure>) -> ExitCode {
    match result {
        Ok(()) | Err(Failure::ClosedPipe) => ExitCode::SUCCESS,
        Err(Failure::Line(line)) => {
            output::print_error(&line);
            ExitCode::FAILURE
        }
        Err(Failure::Usage(line)) => {
            output::print_error(&line);
            ExitCode::from(USAGE)
        }
    }
}

fn init_logging(cli: &Cli) {
    let filter = tracing_subscriber::EnvFilter::new(cli.log_filter());
    let subscriber = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    let is_logged = filter_fn(|event| !event.target().starts_with("rmcp") || *event.level() == Level::ERROR);
    // At `info` and below, `rmcp` logs whole messages, with what people wrote, and at `warn` each mistake of a client. So at most
    // its errors are logged, whatever `--log` says.
    match cli.options.log_format {
        LogFormat::Text => subscriber.with_ansi(false).finish().with(is_logged).init(),
        LogFormat::Json => subscriber.json().finish().with(is_logged).init(),
    }
}

async fn run(cli: Cli) -> Result<(), Failure> {
    let plans = config::plans(cli.options.plans.as_deref())?;
    let command = cli.command.unwrap_or(Command::Serve);
    // Before the store is opened, because the store needs the raised limit, too.
    let limit = match &command {
        Command::Serve => descriptors::connections_beside(store_descriptors(&cli.options))?,
        _ => ConnectionLimit::default(),
    };
    // Before the database is opened, so that a start that fails here leaves no new file.
    let socket = match &command {
        Command::Serve => Some(serve::bind(cli.options.listen, "--listen")?),
        _ => None,
    };
    // Before the store is opened, so that its first statement is counted.
    let metrics = match (&cli.options.metrics_listen, &command) {
        (Some(address), Command::Serve) => Some(Metrics::listen(*address)?),
        _ => None,
    };
    // Before the database is opened: a second server must not even migrate it.
    let lock = match (&cli.options.database, &command) {
        (Database::Sqlite(path), Command::Serve) => {
            Some(ServingLock::take(path).map_err(|error| describe(&error))?)
        }
        _ => None,
    };
    let store = OpenStore::open(&cli.options, &command).await.map_err(|error| open_error(&error))?;
    let change_mail_delay = SignedDuration::from_secs(cli.options.change_mail_delay.into());
    let service = Service::shared(store.as_store())
        .with_clock(TokioClock)
        .with_plans(plans)
        .with_change_mail_delay(change_mail_delay)
        .with_webhook_networks(cli.options.webhook_allow.clone().unwrap_or_default());
    let result = match socket {
        Some(socket) => {
            serve(service, cli.options, socket, &store, metrics, limit).await.map_err(Failure::from)
        }
        None => {
            let Options { base_url, listen, .. } = cli.options;
            let base_url = base_url.unwrap_or_else(|| BaseUrl::of(listen));
            admin::run(&service.admin(), &base_url, command).await
        }
    };
    store.close().await;
    drop(lock);
    result
}

/// Returns the maximum number of file descriptors that the store has open at once.
fn store_descriptors(options: &Options) -> u64 {
    match &options.database {
        Database::Memory => 0,
        // A writer and two readers open two files each, and share the index of the write-ahead log. The cache opens the
        // index once more. Twice that sum, because the writer may be reopened.
        Database::Sqlite(_) => 16,
        // Twice the connections of the pool, because after a failover new ones are opened while the old ones are still being
        // closed, and the connection that migrates.
        Database::Postgres(_) => 2 * u64::from(options.database_connections) + 1,
    }
}

/// The store that the process has opened.
#[derive(Debug, Clone)]
enum OpenStore {
    Memory(Arc<MemoryStore>),
    Sqlite(SqliteStore),
    Postgres(PostgresStore),
}

impl OpenStore {
    async fn open(options: &Options, command: &Command) -> Result<Self, OpenError> {
        let serves = matches!(command, Command::Serve);
        Ok(match &options.database {
            Database::Memory => Self::Memory(Arc::new(MemoryStore::new())),
            Database::Sqlite(path) if serves => Self::Sqlite(SqliteStore::open(path).await?),
            Database::Sqlite(path) => match SqliteStore::open_for_management(path).await {
                Err(OpenError::Missing { .. }) if command.makes_database() => {
                    Self::Sqlite(SqliteStore::open(path).await?)
                }
                opened => Self::Sqlite(opened?),
            },
            Database::Postgres(url) => {
                let options = PostgresOptions {
                    connections: options.database_connections,
                    connect_timeout: Duration::from_secs(options.database_connect_timeout_s),
                    statement_timeout: Duration::from_secs(options.database_statement_timeout_s),
                    pgbouncer: options.pgbouncer,
                };
                Self::Postgres(if serves {
                    PostgresStore::open(url, options).await?
                } else {
                    PostgresStore::open_for_management(url, options).await?
                })
            }
        })
    }

    fn as_store(&self) -> Arc<dyn Store> {
        match self {
            Self::Memory(store) => Arc::clone(store) as Arc<dyn Store>,
            Self::Sqlite(store) => Arc::new(store.clone()),
            Self::Postgres(store) => Arc::new(store.clone()),
        }
    }

    /// Returns the number of open database connections, and how many of them are in use.
    fn connections(&self) -> (u32, u32) {
        match self {
            Self::Memory(_) => (0, 0),
            Self::Sqlite(store) => store.connections(),
            Self::Postgres(store) => store.connections(),
        }
    }

    /// Completes when the store can no longer write, after which the process must be restarted. Otherwise never
    /// completes.
    async fn ended(&self) {
        match self {
            Self::Sqlite(store) => store.ended().await,
            Self::Memory(_) | Self::Postgres(_) => std::future::pending().await,
        }
    }

    async fn close(&self) {
        match self {
            Self::Memory(_) => {}
            Self::Sqlite(store) => store.close().await,
            Self::Postgres(store) => store.close().await,
        }
    }
}

async fn serve(
    service: Service,
    options: Options,
    socket: TcpSocket,
    store: &OpenStore,
    metrics: Option<Metrics>,
    limit: ConnectionLimit,
) -> Result<(), String> {
    // Installed first: from here on, a signal shuts the server down cleanly.
    let signal = shutdown_signal().map_err(|error| format!("cannot listen for signals: {error}"))?;
    let listener = serve::listen(socket);
    let listener = listener.map_err(|error| format!("cannot listen on {}: {error}", options.listen))?;
    let address = listener.local_addr().map_err(|error| format!("cannot listen: {error}"))?;
    let base_url = options.base_url.unwrap_or_else(|| BaseUrl::of(address));
    let openapi = OpenApi::at(base_url.as_str());
    let sends_mail = options.smtp.is_some();
    let reference = Reference::new(openapi::document(), base_url.as_str(), sends_mail)
        .map_err(|error| format!("the API's description: {error}"))?;
    // Several servers may share a PostgreSQL database, so a server does not create an organization there.
    if !matches!(store, OpenStore::Postgres(_)) {
        create_starter(&service.admin(), base_url.as_str()).await?;
    }

    let admin = service.admin();
    let upkeep_task = tokio::spawn(upkeep::run(admin.clone()));
    let metrics_task = metrics.map(|metrics| {
        let store = store.clone();
        tokio::spawn(metrics.serve(service.clone(), move || store.connections()))
    });
    if !sends_mail {
        tracing::warn!(
            "no email is sent: without --smtp, each email is only written to this log and cannot be sent later; \
             set --smtp before volunteers sign up"
        );
    } else if options.mail_from.domain() == "localhost" {
        tracing::warn!(
            "the sender of emails is {}, which most mail servers refuse; set --mail-from",
            options.mail_from
        );
    }
    let mail_sender = options.mail_from.address().to_owned();
    let mailer = Mailer::new(options.smtp, options.mail_helo, options.mail_from, base_url.as_str());
    let (stop_workers, stop) = watch::channel(false);
    let mails = MailQueue::new(service.outbox(), mailer, stop.clone());
    let mail_task = tokio::spawn(worker::run(mails, stop.clone()));
    let sender = Sender::new(options.webhook_allow.unwrap_or_default());
    let deliveries = WebhookQueue::new(service.outbox(), sender, stop.clone());
    let webhook_task = tokio::spawn(worker::run(deliveries, stop));
    let body_memory = BodyMemory::new(options.body_memory_mib * 1024 * 1024);
    let facts = Facts { base_url: base_url.as_str(), sender: &mail_sender, sends_mail };
    let app = App::new(service, facts, options.trusted_proxies, body_memory, openapi, reference);
    tracing::info!("up to {} connections at once (open-file limit {})", limit.connections, limit.open_files);
    output::print_line(&format!("listening on http://{address}")).map_err(String::from)?;
    let mut is_store_broken = false;
    let shutdown = async {
        tokio::select! {
            () = signal => {}
            () = store.ended() => is_store_broken = true,
        }
        // The workers start nothing else. They finish what is in flight, because it would be sent again otherwise.
        stop_workers.send_replace(true);
    };
    serve::serve(listener, app.filter(), limit.connections, shutdown).await;
    let end = tokio::time::Instant::now() + WORKER_TIMEOUT;
    if tokio::time::timeout_at(end, mail_task).await.is_err() {
        tracing::warn!("an email was still in flight at shutdown; it may be sent again");
    }
    if tokio::time::timeout_at(end, webhook_task).await.is_err() {
        tracing::warn!("requests to webhooks were still in flight at shutdown; they are sent again");
    }
    upkeep_task.abort();
    if tokio::time::timeout_at(end, upkeep::record_uses(&admin)).await.is_err() {
        tracing::warn!("the last uses of tokens and sign-ins were not recorded at shutdown");
    }
    if let Some(metrics_task) = metrics_task {
        metrics_task.abort();
    }
    if is_store_broken {
        return Err("the disk failed during a commit: restart the server, and it reads what is on the disk"
            .to_owned());
    }
    tracing::info!("the server has shut down");
    Ok(())
}

/// Creates an organization, and prints a token for it and the link of its first owner, if the store has no organization yet.
async fn create_starter(admin: &Admin, base_url: &str) -> Result<(), String> {
    let name = Name::new("Starter").map_err(|error| error.to_string())?;
    let new = NewOrganization::new(name.clone()).plan(Plan::Pro);
    let created = admin.create_first_organization(new, NewToken::new(name, Scopes::all())).await;
    let Some((_, token, secret)) = created.map_err(|error| describe(&error))? else { return Ok(()) };
    output::print_line(&format!("token: {}", token.reveal())).map_err(String::from)?;
    let link = admin::invitation_link(base_url, &secret);
    output::print_line(&format!("console: {link}")).map_err(String::from)
}

/// Installs handlers for SIGTERM and SIGINT. The returned future completes when one of the signals arrives.
fn shutdown_signal() -> std::io::Result<impl Future<Output = ()>> {
    let mut terminate: Signal = signal(SignalKind::terminate())?;
    let mut interrupt: Signal = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

/// Describes an error of opening the store, as one line for the user.
fn open_error(error: &OpenError) -> String {
    match error {
        OpenError::Missing { .. } => {
            format!("{error}: check --database, or make a new one with \"organization create\"")
        }
        error => describe(error),
    }
}

fn describe(error: &(dyn std::error::Error + 'static)) -> String {
    WithSources(error).to_string()
}
