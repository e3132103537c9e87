import Foundation

// Every conversion between a picture and pixels in other layouts is here.

extension Picture {
  /// Creates a picture from pixels in a layout.
  ///
  /// Grey becomes three equal components. Premultiplied colours are divided by their alpha. If alpha is 0, the colour
  /// is black.
  ///
  /// - Parameters:
  ///   - rows: A pointer to the first of `height` rows of `width` pixels.
  ///   - bytesPerRow: The number of bytes from the start of one row to the start of the next.
  /// - Throws: `ImagingError` for a size that is not positive or rows too short for the width.
  public init(
    width: Int, height: Int, layout: PixelLayout, rows: UnsafeRawPointer, bytesPerRow: Int
  ) throws {
    let area: Int = try Picture.checkedArea(width: width, height: height)
    try Picture.check(bytesPerRow: bytesPerRow, width: width, layout: layout)
    let colour = try PixelBytes(count: area * 3) { (bytes: UnsafeMutableBufferPointer<UInt8>) in
      guard let target: UnsafeMutablePointer<UInt8> = bytes.baseAddress else { return }
      // Safe: row y of the source has `bytesPerRow` bytes, as the caller promises, and the check above found that this
      // is enough. Row y of the target has width * 3.
      for y in 0..<height {
        gatherColours(
          from: rows + y * bytesPerRow, to: target + y * width * 3, width: width, layout: layout)
      }
    }
    var opacity: PixelBytes?
    if let alpha: PixelLayout.Alpha = layout.alpha, alpha != .skipped {
      opacity = try PixelBytes(count: area) { (bytes: UnsafeMutableBufferPointer<UInt8>) in
        guard let target: UnsafeMutablePointer<UInt8> = bytes.baseAddress else { return }
        let offset: Int = alphaOffset(in: layout)
        for y in 0..<height {
          let row: UnsafePointer<UInt8> = (rows + y * bytesPerRow).assumingMemoryBound(
            to: UInt8.self)
          for x in 0..<width { target[y * width + x] = row[x * 4 + offset] }
        }
      }
    }
    self.init(width: width, height: height, colour: colour, opacity: opacity)
    if layout.alpha == .premultiplied { self = try self.dividedByAlpha() }
  }

  /// Writes the picture's pixels in a layout.
  ///
  /// Grey is luma: 0.299 R + 0.587 G + 0.114 B on the gamma-encoded components, rounded. The alpha of an opaque picture
  /// is 255. Bytes between the rows are not written.
  ///
  /// - Parameters:
  ///   - rows: Memory for `height` rows of `bytesPerRow` bytes.
  /// - Throws: `ImagingError` for rows too short for the width.
  public func write(
    to rows: UnsafeMutableRawPointer, bytesPerRow: Int, layout: PixelLayout
  ) throws {
    try Picture.check(bytesPerRow: bytesPerRow, width: width, layout: layout)
    withPixels { (colours: UnsafeBufferPointer<UInt8>) in
      withAlpha { (alpha: UnsafeBufferPointer<UInt8>?) in
        guard let source: UnsafePointer<UInt8> = colours.baseAddress else { return }
        let written: UnsafePointer<UInt8>? = layout.alpha == .skipped ? nil : alpha?.baseAddress
        // Safe: each row of the source has width * 3 bytes of colours, and width bytes of alpha. Each row of the target
        // has `bytesPerRow` bytes, as the caller promises. The check above found that this is enough.
        for y in 0..<height {
          scatterColours(
            from: source + y * width * 3, alpha: written.map { $0 + y * width },
            to: rows + y * bytesPerRow, width: width, layout: layout)
        }
      }
    }
  }

  private static func check(bytesPerRow: Int, width: Int, layout: PixelLayout) throws {
    guard bytesPerRow >= width * layout.bytesPerPixel else {
      throw ImagingError(
        code: .invalidGeometry,
        message: "Rows of \(bytesPerRow) bytes are too short for \(width) pixels of"
          + " \(layout.bytesPerPixel) bytes.")
    }
  }

  private func dividedByAlpha() throws -> Picture {
    guard let opacity else { return self }
    let divided = try PixelBytes(count: colour.count) {
      (target: UnsafeMutableBufferPointer<UInt8>) in
      colour.withBytes { (source: UnsafeBufferPointer<UInt8>) in
        opacity.withBytes { (alpha: UnsafeBufferPointer<UInt8>) in
          for index in 0..<alpha.count {
            let opacity: Int = Int(alpha[index])
            for component in (index * 3)..<(index * 3 + 3) {
              let value: Int = Int(source[component])
              target[component] =
                opacity == 0 ? 0 : UInt8(min(255, (value * 255 + opacity / 2) / opacity))
            }
          }
        }
      }
    }
    return Picture(width: width, height: height, colour: divided, opacity: opacity)
  }
}

private func alphaOffset(in layout: PixelLayout) -> Int {
  switch layout {
  case .argb, .abgr: return 0
  default: return 3
  }
}

/// Computes the luma of a pixel in 16-bit fixed point. The weights add up to 65536, so white stays 255.
@inline(__always)
private func luma(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> UInt8 {
  let sum: UInt32 = UInt32(red) &* 19595 &+ UInt32(green) &* 38470 &+ UInt32(blue) &* 7471
  return UInt8(truncatingIfNeeded: (sum &+ 32768) >> 16)
}

// MARK: - One row into a picture

private func gatherColours(
  from row: UnsafeRawPointer, to target: UnsafeMutablePointer<UInt8>, width: Int,
  layout: PixelLayout
) {
  switch layout {
  case .rgb:
    target.update(from: row.assumingMemoryBound(to: UInt8.self), count: width * 3)
  case .bgr:
    pick(row, target, width, step: 3, red: 2, green: 1, blue: 0)
  case .rgba:
    pick(row, target, width, step: 4, red: 0, green: 1, blue: 2)
  case .bgra:
    pick(row, target, width, step: 4, red: 2, green: 1, blue: 0)
  case .argb:
    pick(row, target, width, step: 4, red: 1, green: 2, blue: 3)
  case .abgr:
    pick(row, target, width, step: 4, red: 3, green: 2, blue: 1)
  case .grey8:
    pick(row, target, width, step: 1, red: 0, green: 0, blue: 0)
  case .greyHalf:
    let source: UnsafePointer<Float16> = row.assumingMemoryBound(to: Float16.self)
    for x in 0..<width { spread(byte(Float(source[x])), to: target + x * 3) }
  case .greyFloat:
    let source: UnsafePointer<Float> = row.assumingMemoryBound(to: Float.self)
    for x in 0..<width { spread(byte(source[x]), to: target + x * 3) }
  }
}

@inline(__always)
private func pick(
  _ row: UnsafeRawPointer, _ target: UnsafeMutablePointer<UInt8>, _ width: Int, step: Int,
  red: Int, green: Int, blue: Int
) {
  let source: UnsafePointer<UInt8> = row.assumingMemoryBound(to: UInt8.self)
  for x in 0..<width {
    let from: Int = x &* step
    let to: Int = x &* 3
    target[to] = source[from &+ red]
    target[to &+ 1] = source[from &+ green]
    target[to &+ 2] = source[from &+ blue]
  }
}

@inline(__always)
private func spread(_ value: UInt8, to target: UnsafeMutablePointer<UInt8>) {
  target[0] = value
  target[1] = value
  target[2] = value
}

/// Converts 0…1 to 0…255 and rounds. Clamps values outside of this range, and converts NaN to 0.
@inline(__always)
private func byte(_ value: Float) -> UInt8 {
  UInt8(max(0, min(255, (value.isNaN ? 0 : value) * 255 + 0.5)))
}

// MARK: - One row out of a picture

private func scatterColours(
  from source: UnsafePointer<UInt8>, alpha: UnsafePointer<UInt8>?,
  to row: UnsafeMutableRawPointer, width: Int, layout: PixelLayout
) {
  switch layout {
  case .rgb:
    row.copyMemory(from: source, byteCount: width * 3)
  case .bgr:
    pick(
      UnsafeRawPointer(source), row.assumingMemoryBound(to: UInt8.self), width, step: 3,
      red: 2, green: 1, blue: 0)
  case .rgba(let meaning):
    pack(source, alpha, meaning, row, width, red: 0, green: 8, blue: 16, alphaShift: 24)
  case .bgra(let meaning):
    pack(source, alpha, meaning, row, width, red: 16, green: 8, blue: 0, alphaShift: 24)
  case .argb(let meaning):
    pack(source, alpha, meaning, row, width, red: 8, green: 16, blue: 24, alphaShift: 0)
  case .abgr(let meaning):
    pack(source, alpha, meaning, row, width, red: 24, green: 16, blue: 8, alphaShift: 0)
  case .grey8:
    let target: UnsafeMutablePointer<UInt8> = row.assumingMemoryBound(to: UInt8.self)
    for x in 0..<width { target[x] = luma(source[x * 3], source[x * 3 + 1], source[x * 3 + 2]) }
  case .greyHalf:
    let target: UnsafeMutablePointer<Float16> = row.assumingMemoryBound(to: Float16.self)
    for x in 0..<width {
      let value: UInt8 = luma(source[x * 3], source[x * 3 + 1], source[x * 3 + 2])
      target[x] = Float16(Float(value) / 255)
    }
  case .greyFloat:
    let target: UnsafeMutablePointer<Float> = row.assumingMemoryBound(to: Float.self)
    for x in 0..<width {
      let value: UInt8 = luma(source[x * 3], source[x * 3 + 1], source[x * 3 + 2])
      target[x] = Float(value) / 255
    }
  }
}

/// Packs four bytes at the given bit positions of a little-endian word.
@inline(__always)
private func pack(
  _ source: UnsafePointer<UInt8>, _ alpha: UnsafePointer<UInt8>?, _ meaning: PixelLayout.Alpha,
  _ row: UnsafeMutableRawPointer, _ width: Int, red: UInt32, green: UInt32, blue: UInt32,
  alphaShift: UInt32
) {
  guard let alpha else {
    for x in 0..<width {
      let from: Int = x &* 3
      let colours: UInt32 =
        (UInt32(source[from]) &<< red) | (UInt32(source[from &+ 1]) &<< green)
        | (UInt32(source[from &+ 2]) &<< blue)
      let word: UInt32 = colours | ((255 as UInt32) &<< alphaShift)
      row.storeBytes(of: word.littleEndian, toByteOffset: x &* 4, as: UInt32.self)
    }
    return
  }
  for x in 0..<width {
    let opacity: UInt32 = UInt32(alpha[x])
    let factor: UInt32 = meaning == .premultiplied ? opacity : 255
    let redPart: UInt32 = ((UInt32(source[x &* 3]) &* factor &+ 127) / 255) &<< red
    let greenPart: UInt32 = ((UInt32(source[x &* 3 &+ 1]) &* factor &+ 127) / 255) &<< green
    let bluePart: UInt32 = ((UInt32(source[x &* 3 &+ 2]) &* factor &+ 127) / 255) &<< blue
    let word: UInt32 = redPart | greenPart | bluePart | (opacity &<< alphaShift)
    row.storeBytes(of: word.littleEndian, toByteOffset: x &* 4, as: UInt32.self)
  }
}
