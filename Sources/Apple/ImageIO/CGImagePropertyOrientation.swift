import Imaging

/// How the stored rows and columns of a picture lie when it is shown, numbered as EXIF does.
public enum CGImagePropertyOrientation: UInt32, Sendable, CaseIterable {
  /// As stored.
  case up = 1
  /// Mirrored left to right.
  case upMirrored = 2
  /// Turned by 180°.
  case down = 3
  /// Mirrored top to bottom.
  case downMirrored = 4
  /// Rows and columns exchanged.
  case leftMirrored = 5
  /// To be turned by 90° clockwise.
  case right = 6
  /// Rows and columns exchanged, then turned by 180°.
  case rightMirrored = 7
  /// To be turned by 90° counter-clockwise.
  case left = 8

  /// The same orientation for pictures.
  public init(_ orientation: Orientation) {
    self = CGImagePropertyOrientation(rawValue: orientation.rawValue) ?? .up
  }

  /// The same orientation for pictures.
  public var pictureOrientation: Orientation { Orientation(rawValue: rawValue) ?? .up }
}
