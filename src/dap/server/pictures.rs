//! Pictures of the program for views of an editor: an array as a table or a map, the blocks of the launch, the lanes of the warp.
//!
//! These are requests of our own, beside those of the protocol; `docs/editor.md` describes them. The data are those of the panes
//! of the terminal debugger.

use crate::arguments::{self, PictureArguments};
use crate::server::Server;
use crate::wire::{Answer, Failure, Request, refuse};
use debug::{ArrayRequest, BlockState, Session, Snapshot, SnapshotRequest, render};
use serde_json::{Value, json};

impl Server {
    /// A snapshot of the frame of a request.
    fn picture(
        &mut self,
        session: &mut Session,
        frame: Option<i64>,
        wanted: &SnapshotRequest,
    ) -> Result<Snapshot, Failure> {
        self.need_stopped()?;
        let frame = self.frame_or_focus(session, frame)?;
        Ok(session.within(frame, |s| s.snapshot(wanted))?)
    }

    /// The request `cufemu/array`.
    pub(crate) fn array(&mut self, session: &mut Session, request: &Request) -> Answer {
        let wanted: PictureArguments = arguments::of(request)?;
        let array = ArrayRequest {
            expression: wanted.expression,
            first: wanted.first,
            size: wanted.size,
            as_map: wanted.is_map,
        };
        let request = SnapshotRequest { array: Some(array), ..SnapshotRequest::default() };
        match self.picture(session, wanted.frame_id, &request)?.array {
            Some(Ok(view)) => {
                let statistics = view.statistics.map(|s| {
                    json!({ "range": s.range.map(|(low, high)| [low, high]), "nanCount": s.nan_count, "count": s.count })
                });
                Ok(json!({
                    "expression": view.expression,
                    "type": view.ty,
                    "space": view.space,
                    "dimensions": view.dims,
                    "first": view.first,
                    "extents": view.extents,
                    "rows": view.window,
                    "map": view.map,
                    "statistics": statistics,
                }))
            }
            Some(Err(why)) => refuse(why),
            None => refuse("There is no array."),
        }
    }

    /// The request `cufemu/grid`.
    pub(crate) fn grid(&mut self, session: &mut Session, request: &Request) -> Answer {
        let wanted: PictureArguments = arguments::of(request)?;
        let request = SnapshotRequest { block_cells: wanted.cells, ..SnapshotRequest::default() };
        let picture = self.picture(session, None, &request)?;
        let (Some(kernel), Some(map)) = (picture.kernel, picture.blocks) else {
            return refuse("No kernel is running.");
        };
        let cells = map.cells.iter().map(|cell| json!({ "state": state_name(cell.state), "isFocused": cell.focused }));
        Ok(json!({
            "kernel": debug::launch_name(kernel.number),
            "name": kernel.name,
            "grid": kernel.grid,
            "block": kernel.block,
            "begun": kernel.begun,
            "ended": kernel.ended,
            "total": kernel.total,
            "perCell": map.per_cell,
            "cells": cells.collect::<Vec<Value>>(),
            "active": map.active,
        }))
    }

    /// The request `cufemu/lanes`: the value of an expression in each lane of the focused warp.
    pub(crate) fn lanes(&mut self, session: &mut Session, request: &Request) -> Answer {
        let wanted: PictureArguments = arguments::of(request)?;
        let expression = (!wanted.expression.is_empty()).then_some(wanted.expression);
        let request = SnapshotRequest { lanes: expression, ..SnapshotRequest::default() };
        let picture = self.picture(session, wanted.frame_id, &request)?;
        let values = match picture.values {
            Some(Err(why)) => return refuse(why),
            Some(Ok(values)) => values.values,
            None => Vec::new(),
        };
        let lanes = picture.lanes.iter().map(|row| {
            let mut shown = json!({ "lane": row.lane, "thread": row.thread, "state": render::state_name(row.state) });
            if let Some((_, line)) = &row.place {
                shown["line"] = self.line_out(*line).into();
            }
            if let Some(value) = values.iter().find(|v| v.lane == row.lane) {
                let text = value.value.clone().unwrap_or_else(|why| format!("<{why}>"));
                shown["value"] = text.into();
            }
            shown
        });
        Ok(json!({ "lanes": lanes.collect::<Vec<Value>>() }))
    }

    /// The request `cufemu/findings`.
    pub(crate) fn findings(&mut self, session: &mut Session, _: &Request) -> Answer {
        let all = session.finding_texts(0).into_iter().map(|f| {
            let mut shown = json!({
                "number": f.number,
                "code": f.code,
                "isError": f.is_error,
                "title": f.title,
                "text": f.text,
            });
            if let Some((file, line)) = f.place {
                shown["source"] = self.sources.source(file);
                shown["line"] = self.line_out(line).into();
            }
            shown
        });
        Ok(json!({ "findings": all.collect::<Vec<Value>>() }))
    }
}

fn state_name(state: BlockState) -> &'static str {
    match state {
        BlockState::Waiting => "waiting",
        BlockState::Polling => "polling",
        BlockState::Running => "running",
        BlockState::Partly => "partly",
        BlockState::Ended => "ended",
    }
}
