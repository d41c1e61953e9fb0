//! The table of routes: method, path pattern, handler.
//!
//! The responses 404 and 405, the header `Allow`, and the labels of metrics and logs are derived from the table. A test
//! compares the table with `openapi.yaml`.
//!
//! **Invariant:** no handler runs for a method that the table does not contain. `HEAD` counts as `GET`.

use std::sync::LazyLock;

use futures_util::FutureExt as _;
use warp::http::{HeaderValue, Method};
use warp::reply::Response;

use crate::call::{ApiHandler, PageCall};
use crate::console;
use crate::handlers::{
    add_question, add_slots, cancel_event, create_event, create_webhook, delete_event, delete_question,
    delete_slot, delete_webhook, duplicate_event, list_activity, list_coverage, list_deliveries, list_events,
    list_questions, list_signups, list_signups_of_event, list_signups_of_slot, list_slots, list_volunteers,
    list_webhooks, patch_event, patch_question, patch_slot, patch_webhook, publish_event, redeliver,
    rotate_secret, show_coverage, show_event, show_signup, show_slot, show_team, show_token, show_webhook,
    test_webhook, unpublish_event,
};
use crate::health;
use crate::mcp;
use crate::page;
use crate::path::{PathParameters, PathPattern};
use crate::route::Handler::{self, Agents, Api, Console, Member, Open, Page};
use crate::route::{Route, personal, route, secret};

#[rustfmt::skip]
static ROUTES: &[Route] = &[
    route(Method::GET, "/v1/events", Api(|c| list_events(c.context, c.session, c.request).boxed())),
    route(Method::POST, "/v1/events", Api(|c| create_event(c.context, c.session, c.request).boxed())),
    route(Method::GET, "/v1/events/{event_id}", Api(|c| show_event(c.context, c.session, c.path.event(), c.request).boxed())),
    route(Method::PATCH, "/v1/events/{event_id}",
        Api(|c| patch_event(c.context, c.session, c.path.event(), c.request).boxed())),
    route(Method::DELETE, "/v1/events/{event_id}",
        Api(|c| delete_event(c.session, c.path.event(), c.request).boxed())),
    route(Method::POST, "/v1/events/{event_id}/duplicate",
        Api(|c| duplicate_event(c.context, c.session, c.path.event(), c.request).boxed())),
    route(Method::POST, "/v1/events/{event_id}/publish",
        Api(|c| publish_event(c.context, c.session, c.path.event(), c.request).boxed())),
    route(Method::POST, "/v1/events/{event_id}/unpublish",
        Api(|c| unpublish_event(c.context, c.session, c.path.event(), c.request).boxed())),
    route(Method::POST, "/v1/events/{event_id}/cancel",
        Api(|c| cancel_event(c.context, c.session, c.path.event(), c.request).boxed())),
    route(Method::GET, "/v1/events/{event_id}/coverage", Api(|c| show_coverage(c.session, c.path.event(), c.request).boxed())),
    route(Method::GET, "/v1/events/{event_id}/slots", Api(|c| list_slots(c.session, c.path.event(), c.request).boxed())),
    route(Method::POST, "/v1/events/{event_id}/slots",
        Api(|c| add_slots(c.session, c.path.event(), c.request).boxed())),
    route(Method::GET, "/v1/events/{event_id}/questions",
        Api(|c| list_questions(c.session, c.path.event(), c.request).boxed())),
    route(Method::POST, "/v1/events/{event_id}/questions",
        Api(|c| add_question(c.session, c.path.event(), c.request).boxed())),
    personal(Method::GET, "/v1/events/{event_id}/signups",
        Api(|c| list_signups_of_event(c.context, c.session, c.path.event(), c.request).boxed())),
    route(Method::GET, "/v1/coverage", Api(|c| list_coverage(c.context, c.session, c.request).boxed())),
    route(Method::GET, "/v1/slots/{id}", Api(|c| show_slot(c.session, c.path.shift(), c.request).boxed())),
    route(Method::PATCH, "/v1/slots/{id}", Api(|c| patch_slot(c.session, c.path.shift(), c.request).boxed())),
    route(Method::DELETE, "/v1/slots/{id}", Api(|c| delete_slot(c.session, c.path.shift(), c.request).boxed())),
    personal(Method::GET, "/v1/slots/{id}/signups",
        Api(|c| list_signups_of_slot(c.context, c.session, c.path.shift(), c.request).boxed())),
    route(Method::PATCH, "/v1/questions/{id}",
        Api(|c| patch_question(c.session, c.path.question(), c.request).boxed())),
    route(Method::DELETE, "/v1/questions/{id}",
        Api(|c| delete_question(c.session, c.path.question(), c.request).boxed())),
    personal(Method::GET, "/v1/signups", Api(|c| list_signups(c.context, c.session, c.request).boxed())),
    personal(Method::GET, "/v1/signups/{id}", Api(|c| show_signup(c.session, c.path.signup(), c.request).boxed())),
    personal(Method::GET, "/v1/volunteers", Api(|c| list_volunteers(c.context, c.session, c.request).boxed())),
    route(Method::GET, "/v1/activity", Api(|c| list_activity(c.context, c.session, c.request).boxed())),
    secret(Method::GET, "/v1/webhooks", Api(|c| list_webhooks(c.session, c.request).boxed())),
    secret(Method::POST, "/v1/webhooks", Api(|c| create_webhook(c.session, c.request).boxed())),
    secret(Method::GET, "/v1/webhooks/{id}", Api(|c| show_webhook(c.session, c.path.webhook(), c.request).boxed())),
    secret(Method::PATCH, "/v1/webhooks/{id}", Api(|c| patch_webhook(c.session, c.path.webhook(), c.request).boxed())),
    secret(Method::DELETE, "/v1/webhooks/{id}", Api(|c| delete_webhook(c.session, c.path.webhook(), c.request).boxed())),
    secret(Method::POST, "/v1/webhooks/{id}/rotate_secret",
        Api(|c| rotate_secret(c.session, c.path.webhook(), c.request).boxed())),
    route(Method::POST, "/v1/webhooks/{id}/test",
        Api(|c| test_webhook(c.session, c.path.webhook(), c.request).boxed())),
    route(Method::GET, "/v1/webhooks/{id}/deliveries",
        Api(|c| list_deliveries(c.context, c.session, c.path.webhook(), c.request).boxed())),
    route(Method::POST, "/v1/deliveries/{id}/redeliver",
        Api(|c| redeliver(c.session, c.path.delivery(), c.request).boxed())),
    route(Method::GET, "/v1/token", Api(|c| show_token(c.session, c.request).boxed())),
    route(Method::GET, "/v1/team", Api(|c| show_team(c.session, c.request).boxed())),
    personal(Method::POST, "/mcp", Agents(|c| mcp::answer(c, operation).boxed())),
    route(Method::GET, "/openapi.json", Open(|c| async move { c.openapi.json() }.boxed())).compressed(),
    route(Method::GET, "/openapi.yaml", Open(|c| async move { c.openapi.yaml() }.boxed())).compressed(),
    route(Method::GET, "/health/live", Open(|_| async { health::live() }.boxed())),
    route(Method::GET, "/health/ready", Open(|c| async move { c.health.ready(&c.service).await }.boxed())),
    route(Method::GET, "/", Page(|c| start(c).boxed())).compressed(),
    route(Method::GET, "/favicon.ico", Page(|_| async { page::icon() }.boxed())),
    route(Method::GET, "/docs", Page(|c| async move { c.reference.docs() }.boxed())).compressed(),
    route(Method::GET, "/events/{slug}", Page(|c| c.pages.event(c.path.text("slug"), c.request.query).boxed())).compressed(),
    route(Method::GET, "/events/{slug}/signups", Page(|c| c.pages.form(c.path.text("slug"), c.request.query).boxed())),
    route(Method::POST, "/events/{slug}/signups",
        Page(|c| c.pages.sign_up(c.path.text("slug"), c.client, c.request).boxed())).compressed(),
    route(Method::GET, "/events/{slug}/signed-up",
        Page(|c| c.pages.signed_up(c.path.text("slug"), c.request.headers).boxed())),
    route(Method::GET, "/events/{slug}/signed-up/calendar.ics",
        Page(|c| c.pages.calendar_of_form(c.path.text("slug"), c.request.headers).boxed())),
    route(Method::GET, "/signups/{secret}", Page(|c| c.pages.places(c.path.text("secret")).boxed())),
    route(Method::GET, "/signups/{secret}/calendar.ics", Page(|c| c.pages.calendar(c.path.text("secret")).boxed())),
    route(Method::GET, "/signups/{secret}/cancel",
        Page(|c| c.pages.ask_to_cancel(c.path.text("secret"), c.request.query).boxed())),
    route(Method::POST, "/signups/{secret}/cancel",
        Page(|c| c.pages.cancel(c.path.text("secret"), c.request).boxed())),
    route(Method::GET, "/signups/{secret}/unsubscribe",
        Page(|c| c.pages.ask_to_unsubscribe(c.path.text("secret")).boxed())),
    route(Method::POST, "/signups/{secret}/unsubscribe",
        Page(|c| c.pages.unsubscribe(c.path.text("secret"), c.request).boxed())),
];

/// `GET /`: returns the start page, with a link to the console for a person who is signed in.
async fn start(call: PageCall) -> Response {
    call.reference.start(call.console.is_signed_in(&call.request.headers).await)
}

/// Returns the handler of an operation of the API, with the parameters in the path.
fn operation(method: &Method, path: &str) -> Option<(ApiHandler, PathParameters)> {
    let (endpoint, path) = Endpoint::find(path)?;
    match endpoint.handler(method) {
        Some(Api(handle)) => Some((handle, path)),
        _ => None,
    }
}

static ENDPOINTS: LazyLock<Vec<Endpoint>> =
    LazyLock::new(|| [ROUTES, console::routes::ROUTES].into_iter().flat_map(endpoints).collect());

fn endpoints(routes: &'static [Route]) -> impl Iterator<Item = Endpoint> {
    routes.chunk_by(|a, b| a.pattern == b.pattern).map(Endpoint::new)
}

/// All routes with the same path pattern.
pub(crate) struct Endpoint {
    /// The path pattern. Logs and metrics contain the pattern instead of the path, because a path may contain a secret.
    pub(crate) pattern: &'static str,
    /// The value of the header `Allow`.
    pub(crate) allow: HeaderValue,
    /// Whether the responses contain people's data or a secret. No cache may store any of them, errors included.
    pub(crate) is_personal: bool,
    path: PathPattern,
    routes: &'static [Route],
}

impl Endpoint {
    fn new(routes: &'static [Route]) -> Self {
        let pattern = routes[0].pattern;
        let mut methods = Vec::new();
        for Route { method, .. } in routes {
            methods.push(method.as_str());
            if *method == Method::GET {
                methods.push("HEAD");
            }
        }
        // MCP clients expect `Allow` to be POST alone. OPTIONS is still answered, as for every path.
        if !routes.iter().any(|route| matches!(route.handler, Agents(_))) {
            methods.push("OPTIONS");
        }
        let allow = HeaderValue::try_from(methods.join(", ")).unwrap_or(HeaderValue::from_static("OPTIONS"));
        let is_personal = routes.iter().any(|route| route.is_personal);
        Self { pattern, allow, is_personal, path: PathPattern::new(pattern), routes }
    }

    /// Finds the endpoint that matches a path, and parses the parameters in the path.
    pub(crate) fn find(path: &str) -> Option<(&'static Self, PathParameters)> {
        let segments: Vec<_> = path.strip_prefix('/')?.split('/').collect();
        ENDPOINTS.iter().find_map(|endpoint| Some((endpoint, endpoint.path.parameters(&segments)?)))
    }

    /// Returns whether the endpoint belongs to a page.
    pub(crate) fn is_page(&self) -> bool {
        self.routes.iter().any(|route| matches!(route.handler, Page(_) | Console(_) | Member(_)))
    }

    /// Returns the handler of a method.
    pub(crate) fn handler(&self, method: &Method) -> Option<Handler> {
        self.route(method).map(|route| route.handler)
    }

    /// Returns whether the responses to a method may be compressed.
    pub(crate) fn is_compressed(&self, method: &Method) -> bool {
        self.route(method).is_some_and(|route| route.is_compressed)
    }

    /// Returns the route of a method. `HEAD` has the route of `GET`.
    fn route(&self, method: &Method) -> Option<&'static Route> {
        let method = if *method == Method::HEAD { &Method::GET } else { method };
        self.routes.iter().find(|route| route.method == *method)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn pattern(path: &str) -> Option<&'static str> {
        Endpoint::find(path).map(|(endpoint, _)| endpoint.pattern)
    }

    #[test]
    fn only_paths_of_the_table_are_routes() {
        for path in [
            "",
            "//",
            "/docs/",
            "/v1",
            "/v1/",
            "/v1/events/",
            "/v1/events//slots",
            "/v1/slots/",
            "/v1/events/a/b/c",
            "//v1/team",
            "/V1/team",
            "/events/a/slots/b",
        ] {
            assert_eq!(pattern(path), None, "{path}");
        }
        assert_eq!(pattern("/"), Some("/"));
        assert_eq!(pattern("/v1/team"), Some("/v1/team"));
        assert_eq!(pattern("/events/food-drive-abc"), Some("/events/{slug}"));
    }

    #[test]
    fn no_handler_runs_for_a_method_that_the_table_does_not_contain() {
        for endpoint in ENDPOINTS.iter() {
            let allow = endpoint.allow.to_str().unwrap();
            for method in
                [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::PATCH, Method::DELETE]
            {
                let is_allowed = allow.split(", ").any(|allowed| allowed == method.as_str());
                assert_eq!(endpoint.handler(&method).is_some(), is_allowed, "{method} {}", endpoint.pattern);
            }
        }
    }

    #[test]
    fn no_cache_stores_an_answer_of_the_api_with_people_or_secrets() {
        let personal = ENDPOINTS.iter().filter(|endpoint| endpoint.is_personal && !endpoint.is_page());
        assert_eq!(
            personal.map(|endpoint| endpoint.pattern).collect::<BTreeSet<_>>(),
            [
                "/mcp",
                "/v1/events/{event_id}/signups",
                "/v1/signups",
                "/v1/signups/{id}",
                "/v1/slots/{id}/signups",
                "/v1/volunteers",
                "/v1/webhooks",
                "/v1/webhooks/{id}",
                "/v1/webhooks/{id}/rotate_secret",
            ]
            .into()
        );
    }

    /// A secret in a compressed response can be guessed from its length. The path of a page has its secret, too.
    #[test]
    fn no_response_with_a_secret_may_be_compressed() {
        let routes = || ROUTES.iter().chain(console::routes::ROUTES);
        let is_of_programs = |route: &&Route| matches!(route.handler, Api(_) | Agents(_));
        let plain: BTreeSet<_> = routes()
            .filter(|route| is_of_programs(route) && !route.is_compressed)
            .map(|route| route.pattern)
            .collect();
        assert_eq!(plain, ["/v1/webhooks", "/v1/webhooks/{id}", "/v1/webhooks/{id}/rotate_secret"].into());
        let pages = routes().filter(|route| !is_of_programs(route) && route.is_compressed);
        let pages: Vec<_> = pages.map(|route| route.pattern).collect();
        assert_eq!(
            pages,
            [
                "/openapi.json",
                "/openapi.yaml",
                "/",
                "/docs",
                "/events/{slug}",
                "/events/{slug}/signups",
                "/console/{slug}/events/{event_id}/signups.csv",
                "/console/{slug}/volunteers.csv",
            ]
        );
    }

    /// The description of the API does not contain the pages, which are for people, and the MCP endpoint, which describes itself.
    #[test]
    fn the_table_and_the_description_of_the_api_contain_the_same_operations() {
        let described: BTreeSet<_> = crate::openapi::document()["paths"]
            .as_object()
            .unwrap()
            .iter()
            .flat_map(|(path, item)| {
                let methods = item.as_object().unwrap().keys().filter(|key| *key != "parameters");
                methods.map(move |method| format!("{} {path}", method.to_uppercase()))
            })
            .collect();
        let is_described = |route: &&Route| !matches!(route.handler, Page(_) | Agents(_));
        let routes: BTreeSet<_> = ROUTES
            .iter()
            .filter(is_described)
            .map(|route| format!("{} {}", route.method, route.pattern))
            .collect();
        assert_eq!(routes, described);
    }
}
