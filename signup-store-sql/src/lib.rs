//! A store on SQL.
