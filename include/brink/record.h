/* record.h: what a run leaves behind: result files, a summary in JSON, a report.
 *
 *     brink_run_record(run, "tank.csv", &diag);     before the first step
 *     brink_run_prepare_report(run, &diag);         likewise
 *     brink_run_to(run, until, &diag);
 *     brink_run_finish(run, &diag);
 *     brink_run_write_report(run, "tank.html", &diag);
 *     brink_run_summary(run, &text, &diag);
 *
 * CSV, MAT and JSON are always there. HDF5 (which uses zlib, and loads the HDF5 library when it is asked for) and the
 * page of reports are optional parts of the library: without them these calls return UNSUPPORTED. */
#ifndef BRINK_RECORD_H
#define BRINK_RECORD_H

#include <brink/hsml.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Text or bytes that the library made. Free them with brink_bytes_free. */
typedef struct brink_bytes {
  char *data; /* with a NUL behind them, which does not count */
  size_t length;
} brink_bytes;

BRINK_API void brink_bytes_free(brink_bytes *bytes);

/* Rows and events go to a file from the first step on: .csv, .mat or .h5; "-": CSV on standard output. Statuses: OK;
 * ARGUMENT: the run has begun, or the ending is not known; FILE, MEMORY, UNSUPPORTED. */
BRINK_API brink_status brink_run_record(brink_run *run, const char *path, brink_diag *diag);
/* The same into memory: "csv", "mat" or "h5"; brink_run_recorded has it after brink_run_finish. */
BRINK_API brink_status brink_run_record_memory(brink_run *run, const char *format,
                                               brink_diag *diag);
BRINK_API brink_status brink_run_recorded(brink_run *run, brink_bytes *bytes, brink_diag *diag);

/* What a report shows is collected from the first step on. */
BRINK_API brink_status brink_run_prepare_report(brink_run *run, brink_diag *diag);
/* The events of the summary have all states in them. Before the first step. */
BRINK_API brink_status brink_run_prepare_summary(brink_run *run, brink_diag *diag);

/* The run is over, wherever it is: files are complete and closed. FILE: something could not be written. */
BRINK_API brink_status brink_run_finish(brink_run *run, brink_diag *diag);

/* After brink_run_finish. */
BRINK_API brink_status brink_run_write_report(brink_run *run, const char *path, brink_diag *diag);
BRINK_API brink_status brink_run_report(brink_run *run, brink_bytes *page, brink_diag *diag);
/* One JSON object (docs/cli.md). */
BRINK_API brink_status brink_run_summary(brink_run *run, brink_bytes *json, brink_diag *diag);

#ifdef __cplusplus
}
#endif

#endif
