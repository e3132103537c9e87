import Graph
import Operators

extension KerasLayerReader {
  /// Makes pictures and sequences larger or smaller.
  static let resizing: [KerasLayerReader] = [
    KerasLayerReader("UpSampling1D") { context in
      let spatial = try KerasSpatial(context, axes: 1)
      let factor: Int = try spatial.sizes(context.settings.ints("size", "length"), or: 2, "size")[0]
      return try spatial.made(
        try context.add(
          UpsampleOperator(heightFactor: 1, widthFactor: Float(max(1, factor))), spatial.value))
    },
    KerasLayerReader("UpSampling2D") { context in
      let spatial = try KerasSpatial(context, axes: 2)
      let factors: [Int] = try spatial.sizes(context.settings.ints("size"), or: 2, "size")
      let kind: String = try context.settings.text("interpolation") ?? "nearest"
      guard kind == "nearest" || kind == "bilinear", factors.allSatisfy({ $0 > 0 }) else {
        throw context.unsupported("'interpolation' is '\(kind)', expected nearest or bilinear.")
      }
      return try spatial.made(
        try context.add(
          UpsampleOperator(
            heightFactor: Float(factors[0]), widthFactor: Float(factors[1]),
            mode: kind == "nearest" ? .nearest : .bilinear(.pixelCentres)),
          spatial.value))
    },
    KerasLayerReader("UpSampling3D") { try $0.largerVolume() },
    KerasLayerReader("Resizing") { context in
      let spatial = try KerasSpatial(context, axes: 2)
      guard let height = try context.settings.int("height"),
        let width = try context.settings.int("width"), (1...1 << 16).contains(height),
        (1...1 << 16).contains(width)
      else { throw context.invalid("'height' and 'width' are missing, or not 1 or more.") }
      let kind: String = try context.settings.text("interpolation") ?? "bilinear"
      guard kind == "nearest" || kind == "bilinear",
        try !context.settings.bool("crop_to_aspect_ratio", or: false),
        try !context.settings.bool("pad_to_aspect_ratio", or: false)
      else {
        throw context.unsupported("it resizes by '\(kind)', or keeps the ratio of the sides.")
      }
      return try spatial.made(
        try context.add(
          kind == "bilinear"
            ? ResizeBilinearOperator(height: height, width: width, grid: .pixelCentres)
            : ResizeOperator(sizes: [height, width], mode: .nearest, grid: .upsample),
          spatial.value))
    },
    KerasLayerReader("CenterCrop") { context in
      let spatial = try KerasSpatial(context, axes: 2)
      let known: [Int?] = context.extents(spatial.value, rank: 4)
      guard let height = try context.settings.int("height"),
        let width = try context.settings.int("width"), let rows = known[2],
        let columns = known[3], rows >= height, columns >= width, height > 0, width > 0
      else { throw context.unsupported("its input is smaller than the crop, or of unknown size.") }
      let (top, left) = ((rows - height) / 2, (columns - width) / 2)
      let edges = EdgeAmounts(
        top: top, bottom: rows - height - top, left: left, right: columns - width - left)
      return try spatial.made(try context.add(CropOperator(amounts: edges), spatial.value))
    },
  ]
}

extension KerasContext {
  /// Each element several times along each spatial axis.
  fileprivate func largerVolume() throws -> KerasTensor {
    let spatial = try KerasSpatial(self, axes: 3)
    let factors: [Int] = try spatial.sizes(settings.ints("size"), or: 2, "size")
    var value = spatial.value
    for (axis, factor) in factors.enumerated() where factor > 1 {
      var shape: [Int?] = extents(value, rank: 5)
      guard let extent = shape[axis + 2], shape.filter({ $0 == nil }).count <= 1 else {
        throw unsupported("the size of its input is not known.")
      }
      let apart = try add(ExpandDimsOperator(axes: [axis + 3]), value)
      var times = [Int](repeating: 1, count: 6)
      times[axis + 3] = factor
      let many = try add(TileOperator(repetitions: times), apart)
      shape[axis + 2] = extent * factor
      value = try add(ReshapeStaticOperator(targetShape: shape.map { $0 ?? -1 }), many)
    }
    return try spatial.made(value)
  }
}
