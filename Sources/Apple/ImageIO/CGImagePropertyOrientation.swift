import Imaging

/// The orientation of an image's stored pixels. The raw values are the numbers of the EXIF orientation.
public enum CGImagePropertyOrientation: UInt32, Sendable, CaseIterable {
  /// The image is stored upright.
  case up = 1
  /// The image is mirrored left to right.
  case upMirrored = 2
  /// The image is rotated by 180°.
  case down = 3
  /// The image is mirrored top to bottom.
  case downMirrored = 4
  /// Rows and columns are exchanged.
  case leftMirrored = 5
  /// The image is upright after a rotation by 90° clockwise.
  case right = 6
  /// Rows and columns are exchanged, and the result is rotated by 180°.
  case rightMirrored = 7
  /// The image is upright after a rotation by 90° counter-clockwise.
  case left = 8

  /// Makes the orientation from an `Orientation` of the module `Imaging`.
  public init(_ orientation: Orientation) {
    self = CGImagePropertyOrientation(rawValue: orientation.rawValue) ?? .up
  }

  /// The same orientation as a value of the module `Imaging`.
  public var pictureOrientation: Orientation { Orientation(rawValue: rawValue) ?? .up }
}
