//! `token`: create, list and revoke API tokens.

use signup_core::{Admin, Error, NewToken, Scopes, TokenId};

use super::{describe, find_organization, print};
use crate::config::TokenCommand;
use crate::output::{Failure, has_token, shown};
use crate::wire;

pub(super) async fn run(admin: &Admin, command: TokenCommand) -> Result<(), Failure> {
    match command {
        TokenCommand::Create { organization, name, scopes, expires_in_days } => {
            let scopes = match scopes {
                Some(scopes) if scopes.trim().is_empty() => {
                    let line = "--scopes must name at least one scope, or be left out for all of them";
                    return Err(Failure::Usage(line.to_owned()));
                }
                Some(scopes) => scopes
                    .parse()
                    .map_err(|error| format!("--scopes '{}': each scope {error}", shown(&scopes)))?,
                None => Scopes::all(),
            };
            let organization = find_organization(admin, &organization).await?;
            let new = NewToken::new(name, scopes).expires_in_days(expires_in_days);
            let (token, text) = admin.create_token(organization.id, new).await.map_err(describe)?;
            print(&wire::NewToken::new(&token, &text))
        }
        TokenCommand::List { organization } => {
            let organization = find_organization(admin, &organization).await?;
            let tokens = admin.tokens(organization.id).await.map_err(describe)?;
            tokens.iter().try_for_each(|token| print(&wire::Token::new(token)))
        }
        TokenCommand::Revoke { token_id } if has_token(&token_id) => {
            let line = "This is a token, not its id. Run \"token list\" to see the ids.";
            Err(line.to_owned().into())
        }
        TokenCommand::Revoke { token_id } => {
            let id = token_id.parse().unwrap_or(TokenId::NONE);
            match admin.revoke_token(id).await {
                Ok(token) => print(&wire::Token::new(&token)),
                Err(Error::NotFound) => {
                    let id = shown(&token_id);
                    Err(format!("there is no token with the id {id}: to see the ids, run \"token list\"")
                        .into())
                }
                Err(error) => Err(describe(error).into()),
            }
        }
    }
}
