//! A process of the simulation: a service with caches of its own, its workers and its upkeep.

use std::sync::Arc;
use std::time::Duration;

use signup_core::{Error, Result, Service, Wrapped};
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinHandle};
use tokio::time::{sleep, timeout};

use super::endpoints::Endpoints;
use super::inbox::MailServer;
use super::store::RemoteStore;
use super::world::{CAUSE, Cause, ProcessClock, World};
use crate::mail::MailQueue;
use crate::webhook::WebhookQueue;
use crate::{WORKER_TIMEOUT, upkeep, worker};

pub(super) struct Process {
    service: Service,
    workers: Vec<JoinHandle<()>>,
    stops: Vec<watch::Sender<bool>>,
    requests: Vec<AbortHandle>,
}

impl Process {
    pub(super) fn start(world: &Arc<World>) -> Self {
        // Clocks that differ by more than a lease without its extension would let two processes send a mail.
        let ahead_s = i64::try_from(world.random.below(11)).unwrap() - 5;
        let service = Service::new(Wrapped(RemoteStore(Arc::clone(world))))
            .with_clock(ProcessClock { world: Arc::clone(world), ahead_s })
            .with_webhook_networks("127.0.0.0/8".parse().unwrap());
        // Each worker has a channel of its own: the receivers of one channel would wake in a random order.
        let ((stop_mails, mails), (stop_webhooks, webhooks)) = (watch::channel(false), watch::channel(false));
        let server = MailServer::new(Arc::clone(world));
        let mail_queue = MailQueue::new(service.outbox(), server, mails.clone());
        let webhook_queue =
            WebhookQueue::new(service.outbox(), Endpoints(Arc::clone(world)), webhooks.clone());
        let workers = vec![
            tokio::spawn(worker::run(mail_queue, mails)),
            tokio::spawn(worker::run(webhook_queue, webhooks)),
            tokio::spawn(upkeep::run(service.admin())),
        ];
        Self { service, workers, stops: vec![stop_mails, stop_webhooks], requests: vec![] }
    }

    /// Serves a request. A killed process gives no answer.
    pub(super) fn serve<T: Send + 'static, F>(
        &mut self,
        cause: Cause,
        request: impl FnOnce(Service) -> F,
    ) -> JoinHandle<Result<T>>
    where
        F: Future<Output = Result<T>> + Send + 'static,
    {
        let task = tokio::spawn(CAUSE.scope(cause, request(self.service.clone())));
        self.requests.retain(|request| !request.is_finished());
        self.requests.push(task.abort_handle());
        task
    }

    /// Ends every task of the process, wherever it waits.
    pub(super) async fn kill(mut self) {
        for request in &self.requests {
            request.abort();
        }
        for worker in self.workers.drain(..) {
            worker.abort();
            if !worker.is_finished() {
                drop(worker.await);
            }
        }
    }

    /// Lets the process finish what is under way, as at a restart.
    pub(super) async fn stop(mut self) {
        for stop in &self.stops {
            stop.send_replace(true);
        }
        let upkeep = self.workers.pop();
        for worker in &mut self.workers {
            drop(timeout(WORKER_TIMEOUT, worker).await);
        }
        self.workers.extend(upkeep);
        self.kill().await;
    }
}

/// Sends a request again, to any process, until its result is known. A client of the API does so with one idempotency key.
///
/// # Errors
/// Returns every error but those after which the result is unknown.
pub(super) async fn ask<T: Send + 'static, F>(
    processes: &std::sync::Mutex<Vec<Process>>,
    world: &World,
    cause: Cause,
    request: impl Fn(Service) -> F,
) -> Result<T>
where
    F: Future<Output = Result<T>> + Send + 'static,
{
    for attempt in 0..500 {
        let running = {
            let mut processes = processes.lock().unwrap();
            let count = processes.len();
            (count > 0).then(|| processes[world.random.below(count)].serve(cause, &request))
        };
        let answer = match running {
            Some(running) => running.await.ok(),
            None => None,
        };
        match answer {
            Some(Err(Error::Store(_) | Error::Contended)) | None => {}
            Some(known) => return known,
        }
        world.trace(|| format!("request {}: attempt {attempt} has no known result", cause.request));
        sleep(world.millis(10, 4000)).await;
    }
    world.check(Err(format!("request {} never had a result", cause.request)));
    sleep(Duration::from_secs(1)).await;
    Err(Error::Contended)
}
