import Engine
import Imaging

/// The pixels of a picture while it is painted: red, green and blue planes of `Float`, 0…255, with a border.
///
/// The border mirrors the pixels next to it. It makes both sides multiples of the alignment that a network needs. It
/// also separates the picture from the zeros with which convolutions pad their input.
struct PaintingCanvas: Equatable {
  /// The size of the picture without its border.
  let size: PictureSize
  /// The pixels with the border, `[1, 3, height, width]`.
  var pixels: FloatTensor
  /// The number of columns and rows of the border at the left and at the top.
  private let margin: Int

  /// Returns the size of a picture with its border.
  static func paddedSize(_ size: PictureSize, margin: Int, alignment: Int) -> PictureSize {
    func padded(_ side: Int) -> Int {
      (side + 2 * margin + alignment - 1) / alignment * alignment
    }
    return PictureSize(width: padded(size.width), height: padded(size.height))
  }

  /// Adds a border to a picture.
  init(_ picture: Picture, margin: Int, alignment: Int) {
    size = picture.size
    self.margin = margin
    let whole: PictureSize = Self.paddedSize(size, margin: margin, alignment: alignment)
    let columns: [Int] = Self.mirrored(whole.width, of: size.width, margin)
    let rows: [Int] = Self.mirrored(whole.height, of: size.height, margin)
    let planes: [Float] = picture.planes
    var values: [Float] = []
    values.reserveCapacity(3 * whole.width * whole.height)
    for channel in 0..<3 {
      for row in rows {
        let start: Int = (channel * size.height + row) * size.width
        for column in columns { values.append(planes[start + column]) }
      }
    }
    pixels = FloatTensor([1, 3, whole.height, whole.width], values)
  }

  /// The picture without its border. Values are rounded and clamped to 0…255.
  func picture() throws -> Picture {
    let (height, width) = (pixels.shape[2], pixels.shape[3])
    var planes: [Float] = []
    planes.reserveCapacity(3 * size.width * size.height)
    for channel in 0..<3 {
      for row in 0..<size.height {
        let start: Int = (channel * height + row + margin) * width + margin
        planes += pixels.values[start..<(start + size.width)]
      }
    }
    return try Picture(width: size.width, height: size.height, planes: planes)
  }

  /// Extends a mask of the picture over the border, then scales it to `width` × `height`.
  func mask(_ mask: StyleMask, width: Int, height: Int) -> StyleMask {
    let inner: StyleMask = mask.scaled(toWidth: size.width, height: size.height)
    let columns: [Int] = Self.mirrored(pixels.shape[3], of: size.width, margin)
    let rows: [Int] = Self.mirrored(pixels.shape[2], of: size.height, margin)
    let weights: [Float] = rows.flatMap { row in
      columns.map { inner.weights[row * size.width + $0] }
    }
    return StyleMask(width: columns.count, height: rows.count, weights: weights)
      .scaled(toWidth: width, height: height)
  }

  /// Returns the picture's row or column for each of `count` rows or columns of the canvas. The border is mirrored.
  private static func mirrored(_ count: Int, of side: Int, _ margin: Int) -> [Int] {
    (0..<count).map { index in
      let period: Int = max(1, 2 * side - 2)
      let position: Int = ((index - margin) % period + period) % period
      return min(position, period - position)
    }
  }
}
