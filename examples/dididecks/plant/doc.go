// Package plant plants faults that the crash harness must catch: built with the tag
// failpoint, IN_APP_AGENT_PLANT names the one that holds. In a usual build nothing is
// planted and Planted inlines to false.
package plant
