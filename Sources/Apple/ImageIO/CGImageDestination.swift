import Foundation
import Imaging
import Platform

/// A picture file to be written.
///
/// One picture is added, then the destination is finalised; only that writes anything.
public final class CGImageDestination: @unchecked Sendable {
  // Sendable: the stored properties are constants, and the state is guarded by `Locked`. The data
  // that grows is written only by `finalize`, inside the lock.

  enum Place {
    case file(String)
    case memory(CFMutableData)
  }

  private struct State {
    var picture: Picture?
    var quality: Int = Picture.defaultQuality
    var isFinal: Bool = false
  }

  private let place: Place
  private let format: PictureFormat
  private let state: Locked<State> = Locked(State())

  init(place: Place, format: PictureFormat) {
    self.place = place
    self.format = format
  }

  func add(_ picture: Picture?, quality: Double?) {
    state.withLock { (state: inout State) in
      state.picture = picture
      if let quality { state.quality = min(100, max(1, Int((quality * 100).rounded()))) }
    }
  }

  func finalize() -> Bool {
    state.withLock { (state: inout State) -> Bool in
      guard !state.isFinal, let picture = state.picture,
        let bytes = try? picture.encoded(as: format, quality: state.quality)
      else { return false }
      state.isFinal = true
      switch place {
      case .memory(let data):
        data.append(bytes)
        return true
      case .file(let path):
        return (try? Picture.writeAtomically(bytes, toFile: path)) != nil
      }
    }
  }
}

/// A destination that writes a file.
///
/// - Parameter type: The uniform type: `public.jpeg`, `public.png`, `public.tiff` or
///   `org.webmproject.webp`.
/// - Returns: `nil` for another type, or a URL that is not a file's.
public func CGImageDestinationCreateWithURL(
  _ url: CFURL, _ type: CFString, _ count: Int, _ options: CFDictionary?
) -> CGImageDestination? {
  guard url.isFileURL, let format = PictureFormat(uniformType: type) else { return nil }
  return CGImageDestination(place: .file(url.path), format: format)
}

/// A destination that writes at the end of data in memory.
///
/// - Returns: `nil` for a type that is not among those that `CGImageDestinationCreateWithURL` names.
public func CGImageDestinationCreateWithData(
  _ data: CFMutableData, _ type: CFString, _ count: Int, _ options: CFDictionary?
) -> CGImageDestination? {
  guard let format = PictureFormat(uniformType: type) else { return nil }
  return CGImageDestination(place: .memory(data), format: format)
}

/// Sets the picture to write; `kCGImageDestinationLossyCompressionQuality` among its properties
/// is its quality, and `kCGImagePropertyOrientation` turns its pixels.
public func CGImageDestinationAddImage(
  _ destination: CGImageDestination, _ image: CGImage, _ properties: CFDictionary?
) {
  let rawOrientation: UInt32? = number(properties?[kCGImagePropertyOrientation]).flatMap {
    UInt32(exactly: $0)
  }
  let orientation: Orientation = rawOrientation.flatMap { Orientation(rawValue: $0) } ?? .up
  let turned: Picture? = try? image.picture.oriented(orientation)
  destination.add(
    turned, quality: number(properties?[kCGImageDestinationLossyCompressionQuality]))
}

/// Writes the file, completely or not at all.
///
/// - Returns: False where no picture was added or writing failed.
@discardableResult
public func CGImageDestinationFinalize(_ destination: CGImageDestination) -> Bool {
  destination.finalize()
}

private func number(_ value: Any?) -> Double? {
  switch value {
  case let number as Double: return number
  case let number as Float: return Double(number)
  case let number as NSNumber: return number.doubleValue
  case let number as any BinaryInteger: return Double(Int(clamping: number))
  default: return nil
  }
}

extension PictureFormat {
  fileprivate init?(uniformType: String) {
    switch uniformType {
    case "public.jpeg": self = .jpeg
    case "public.png": self = .png
    case "public.tiff": self = .tiff
    case "org.webmproject.webp": self = .webp
    default: return nil
    }
  }
}
