// As `_Testing_CoreGraphics`, for `CoreImage`.
