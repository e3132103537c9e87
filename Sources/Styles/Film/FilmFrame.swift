import Imaging

/// One frame of a film.
public struct FilmFrame: Sendable {
  /// The picture, upright, in sRGB.
  public let picture: Picture
  /// When the frame is shown, in microseconds since the beginning of the film.
  public let time: Int64

  /// Creates a frame.
  public init(_ picture: Picture, time: Int64) {
    self.picture = picture
    self.time = time
  }
}

/// A source of frames, in the order in which they are shown.
protocol FrameSource: AnyObject, Sendable {
  /// Returns the next frame. Nil after the last one.
  func next() throws -> FilmFrame?
  /// Ends reading. After that, ``damage`` is complete.
  func stop()
  /// A sentence that says which part of the film could not be read, or nil.
  var damage: String? { get }
}
