//! The Signup service over HTTP: a thin mapping of requests, command lines and signals onto `signup_core::Service`.
//!
//! **Invariant:** no rule is decided here, and stores are named in this file only.

mod admin;
mod app;
mod bodies;
mod calendar;
mod config;
mod descriptors;
mod handlers;
mod health;
mod mail;
mod metrics;
mod openapi;
mod output;
mod page;
mod reply;
mod request;
mod request_body;
mod routes;
mod serve;
mod wire;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Parser as _;
use clap::error::{ContextKind, ContextValue};
use signup_core::input::{NewOrganization, NewToken};
use signup_core::{Admin, Name, Plan, Scopes, Service, Store};
use signup_store_memory::MemoryStore;
use signup_store_sql::{OpenError, PostgresOptions, PostgresStore, ServingLock, SqliteStore};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;

use app::App;
use config::{BaseUrl, Cli, Command, Database, LogFormat, Options};
use descriptors::ConnectionLimit;
use mail::Mailer;
use metrics::Metrics;
use openapi::OpenApi;
use reply::WithSources;

/// What is allocated and freed for each request takes a tenth less time with it than with the system's, for some MB more.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How long a mail that is under way may take when the server ends: as long as its server's answer is waited for, and a
/// little more.
const MAIL_TIMEOUT: Duration = Duration::from_secs(12);
/// How often what has expired is removed.
const PURGE_EVERY: Duration = Duration::from_secs(60);
/// How much of it at once, so that no request waits long for it.
const PURGE_BATCH: u32 = 500;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) if !error.use_stderr() => {
            // Help and version, which were asked for.
            return if error.print().is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
        }
        Err(error) => {
            output::error_line(&usage_line(&error));
            return ExitCode::from(2);
        }
    };
    log(&cli);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let result = match runtime {
        Ok(runtime) => {
            let result = runtime.block_on(run(cli));
            // A mail may be under way in a thread that waits for its server.
            runtime.shutdown_background();
            result
        }
        Err(error) => Err(format!("cannot start: {error}")),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(line) => {
            output::error_line(&line);
            ExitCode::FAILURE
        }
    }
}

/// What is wrong with the command line, on one line: all but the usage and the hints that clap adds.
fn usage_line(error: &clap::Error) -> String {
    let mut text = error.to_string();
    // An address may hold a password.
    if let Some(ContextValue::String(value)) = error.get(ContextKind::InvalidValue)
        && let Some(ContextValue::String(flag)) = error.get(ContextKind::InvalidArg)
        && (flag.starts_with("--database") || flag.starts_with("--smtp"))
    {
        text = text.replace(value.as_str(), "…");
    }
    let lines = text.lines().take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"));
    let line = lines.map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
    format!("{line} (try --help)")
}

fn log(cli: &Cli) {
    let filter = tracing_subscriber::EnvFilter::new(cli.log_filter());
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    match cli.options.log_format {
        LogFormat::Text => log.with_ansi(false).init(),
        LogFormat::Json => log.json().init(),
    }
}

async fn run(cli: Cli) -> Result<(), String> {
    let plans = config::plans(cli.options.plans.as_deref())?;
    let command = cli.command.unwrap_or(Command::Serve);
    // Raises the limit before anything is opened, for the store, too.
    let limit = match &command {
        Command::Serve => descriptors::connections_beside(store_descriptors(&cli.options))?,
        _ => ConnectionLimit::default(),
    };
    // Taken before the database is opened: a second server must not even carry the tables forward.
    let lock = match (&cli.options.database, &command) {
        (Database::Sqlite(path), Command::Serve) => {
            Some(ServingLock::take(path).map_err(|error| line(&error))?)
        }
        _ => None,
    };
    // Before the store, so that it counts from its first statement on.
    let metrics = match (&cli.options.metrics_listen, &command) {
        (Some(address), Command::Serve) => Some(Metrics::listen(*address)?),
        _ => None,
    };
    let kept = Kept::open(&cli.options, &command).await.map_err(|error| line(&error))?;
    let service = Service::shared(kept.store()).with_plans(plans);
    let result = match command {
        Command::Serve => serve(service, cli.options, &kept, metrics, limit).await,
        command => admin::run(&service.admin(), command).await,
    };
    kept.close().await;
    drop(lock);
    result
}

/// The most descriptors that the store has open at once.
fn store_descriptors(options: &Options) -> u64 {
    match &options.database {
        Database::Memory => 0,
        // A writer and two readers with two files each, and the index of the write-ahead log, which the cache reads as well.
        // Twice that, as the writer may be opened anew.
        Database::Sqlite(_) => 16,
        // Twice all connections: after a failover new ones are made while the former are still being closed. Before that
        // each server is asked whether it takes writes.
        Database::Postgres(urls) => 2 * (u64::from(options.database_connections) + urls.len() as u64),
    }
}

/// The store that was opened.
#[derive(Debug, Clone)]
enum Kept {
    Memory(Arc<MemoryStore>),
    Sqlite(SqliteStore),
    Postgres(PostgresStore),
}

impl Kept {
    async fn open(options: &Options, command: &Command) -> Result<Self, OpenError> {
        let serves = matches!(command, Command::Serve);
        Ok(match &options.database {
            Database::Memory => Self::Memory(Arc::new(MemoryStore::new())),
            Database::Sqlite(path) if serves => Self::Sqlite(SqliteStore::open(path).await?),
            Database::Sqlite(path) => Self::Sqlite(SqliteStore::open_for_management(path).await?),
            Database::Postgres(urls) => {
                let options = PostgresOptions {
                    connections: options.database_connections,
                    connect_timeout: Duration::from_secs(options.database_connect_timeout_s),
                    statement_timeout: Duration::from_secs(options.database_statement_timeout_s),
                    pgbouncer: options.pgbouncer,
                };
                Self::Postgres(if serves {
                    PostgresStore::open(urls, options).await?
                } else {
                    PostgresStore::open_for_management(urls, options).await?
                })
            }
        })
    }

    fn store(&self) -> Arc<dyn Store> {
        match self {
            Self::Memory(store) => Arc::clone(store) as Arc<dyn Store>,
            Self::Sqlite(store) => Arc::new(store.clone()),
            Self::Postgres(store) => Arc::new(store.clone()),
        }
    }

    /// Connections that are open, and those in use.
    fn connections(&self) -> (u32, u32) {
        match self {
            Self::Memory(_) => (0, 0),
            Self::Sqlite(store) => store.connections(),
            Self::Postgres(store) => store.connections(),
        }
    }

    /// Waits until nothing can be written any more, and only a new start can mend it.
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
    kept: &Kept,
    metrics: Option<Metrics>,
    limit: ConnectionLimit,
) -> Result<(), String> {
    // From here on a signal ends the server cleanly, whenever it comes.
    let signal = ended_by_a_signal().map_err(|error| format!("cannot listen for signals: {error}"))?;
    let listener = serve::listen(options.listen);
    let listener = listener.map_err(|error| format!("cannot listen on {}: {error}", options.listen))?;
    let address = listener.local_addr().map_err(|error| format!("cannot listen: {error}"))?;
    let base_url = options.base_url.unwrap_or_else(|| BaseUrl::of(address));
    let openapi =
        OpenApi::at(base_url.as_str()).map_err(|error| format!("the API's description: {error}"))?;
    // A database that several may share is nobody's to begin with.
    if !matches!(kept, Kept::Postgres(_)) {
        create_starter(&service.admin()).await?;
    }

    let purging = tokio::spawn(purge(service.admin()));
    let measuring = metrics.map(|metrics| {
        let kept = kept.clone();
        tokio::spawn(metrics.serve(service.clone(), move || kept.connections()))
    });
    if options.smtp.is_some() && options.mail_from.email.domain() == "localhost" {
        tracing::warn!("mails come from {}: few servers take that; set --mail-from", options.mail_from);
    }
    let mailer = Mailer::new(options.smtp.as_ref(), options.mail_from, base_url.as_str());
    let (mails_end, end_mails) = watch::channel(false);
    let mailing = tokio::spawn(mail::deliver(service.outbox(), mailer, end_mails));
    let app = App::new(service, base_url.as_str(), options.trusted_proxies, openapi);
    tracing::info!(
        "at most {} connections at once, of {} files that may be open",
        limit.connections,
        limit.open_files
    );
    output::line(&format!("listening on http://{address}"))
        .map_err(|error| format!("cannot print: {error}"))?;
    let mut broken = false;
    let end = async {
        tokio::select! {
            () = signal => {}
            () = kept.ended() => broken = true,
        }
        // The mail that is under way is not cut off, or it would be sent again; no other is begun.
        mails_end.send_replace(true);
    };
    serve::serve(listener, app.filter(), limit.connections, end).await;
    if tokio::time::timeout(MAIL_TIMEOUT, mailing).await.is_err() {
        tracing::warn!("a mail was still under way; it may be sent again");
    }
    purging.abort();
    if let Some(measuring) = measuring {
        measuring.abort();
    }
    if broken {
        return Err(
            "the disk failed in the middle of a commit: start the server again, which shows what is on it"
                .to_owned(),
        );
    }
    tracing::info!("ended");
    Ok(())
}

/// Makes an organization and a token on a store that has none, so that a newcomer can begin.
async fn create_starter(admin: &Admin) -> Result<(), String> {
    let name = Name::new("Starter").map_err(|error| error.to_string())?;
    let new = NewOrganization::new(name.clone()).plan(Plan::Pro);
    let created = admin.create_first_organization(new, NewToken::new(name, Scopes::all())).await;
    match created.map_err(|error| line(&error))? {
        Some((_, token)) => {
            output::line(&format!("token: {}", token.reveal())).map_err(|error| error.to_string())
        }
        None => Ok(()),
    }
}

async fn purge(admin: Admin) {
    let mut interval = tokio::time::interval(PURGE_EVERY);
    loop {
        interval.tick().await;
        loop {
            match admin.purge(PURGE_BATCH).await {
                Ok(purged) if purged == u64::from(PURGE_BATCH) => {}
                Ok(_) => break,
                Err(error) => {
                    tracing::warn!(error = %WithSources(&error), "what has expired was not purged; it will be later");
                    break;
                }
            }
        }
    }
}

fn ended_by_a_signal() -> std::io::Result<impl Future<Output = ()>> {
    let mut terminate: Signal = signal(SignalKind::terminate())?;
    let mut interrupt: Signal = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

fn line(error: &(dyn std::error::Error + 'static)) -> String {
    WithSources(error).to_string()
}
