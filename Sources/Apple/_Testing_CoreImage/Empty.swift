// Swift Testing imports this module in every file that imports both `Testing` and `CoreImage`. See
// `_Testing_CoreGraphics`.
