import Imaging

/// The layout of an array that holds a picture of three channels: `[…, 3, height, width]` or `[…, height, width, 3]`,
/// with leading axes of length 1.
struct PictureArrayLayout {
  let size: PictureSize
  let hasChannelsLast: Bool
  private let leadingAxes: Int

  /// Nil if an array of this shape holds no such picture.
  init?(_ shape: [Int]) {
    guard shape.count >= 3, shape.dropLast(3).allSatisfy({ $0 == 1 }) else { return nil }
    let tail: [Int] = shape.suffix(3)
    guard tail[0] == 3 || tail[2] == 3 else { return nil }
    hasChannelsLast = tail[0] != 3
    size =
      hasChannelsLast
      ? PictureSize(width: tail[1], height: tail[0]) : PictureSize(width: tail[2], height: tail[1])
    leadingAxes = shape.count - 3
  }

  /// Returns the shape of an array with the same layout for a picture of another size.
  func shape(for size: PictureSize) -> [Int] {
    [Int](repeating: 1, count: leadingAxes)
      + (hasChannelsLast ? [size.height, size.width, 3] : [3, size.height, size.width])
  }
}
