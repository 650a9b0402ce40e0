// Package failpoint names the steps of a turn at which the crash harness kills the
// process. In a usual build its functions are empty and inline away; built with the
// tag failpoint they read the environment:
//
//	IN_APP_AGENT_FAILPOINT=name:n   the process kills itself at the nth hit of the point
//	IN_APP_AGENT_PLANT=name         Planted(name) holds: a fault that the harness must catch
//
// The kill is SIGKILL, as a power cut is for a process: nothing is flushed, nothing
// deferred runs.
package failpoint
