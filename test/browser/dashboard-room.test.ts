/** Tests the grid of the dashboard. */
import './suites/dashboard-grid.ts';
