import Imaging

extension Picture {
  /// A painting at the size that its style is learned at, without the frame of its scan: the shorter
  /// side has as many pixels as the texel density, the longer one at most three times as many.
  public func asStylePicture(texelDensity: Int) throws -> Picture {
    let painting: Picture = try withoutAlpha.withoutFrame()
    let (width, height) = (painting.width, painting.height)
    let shorter: Int = min(width, height)
    let longest: Int = shorter * 3
    let middle: Picture = try painting.cropped(
      x: max(0, (width - longest) / 2), y: max(0, (height - longest) / 2),
      width: min(width, longest), height: min(height, longest))
    return try middle.scaled(to: middle.size.scaled(by: Double(texelDensity) / Double(shorter)))
  }
}
