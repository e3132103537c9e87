import Arguments
import Imaging

extension ParsedArguments {
  /// Parses an option as a picture's size, `512` or `640x480`. Returns nil if the option is not given.
  func pictureSize(_ name: String) throws -> PictureSize? {
    guard let text = value(name) else { return nil }
    let sides: [Int] = text.lowercased().split(separator: "x", omittingEmptySubsequences: false)
      .compactMap { Int($0) }
    guard
      text.lowercased().split(separator: "x", omittingEmptySubsequences: false).count
        == sides.count, (1...2).contains(sides.count),
      sides.allSatisfy({ (1...65536).contains($0) })
    else {
      throw UsageError("--\(name) is '\(text)', expected a size such as 512 or 640x480.")
    }
    return PictureSize(width: sides[0], height: sides[sides.count - 1])
  }
}
