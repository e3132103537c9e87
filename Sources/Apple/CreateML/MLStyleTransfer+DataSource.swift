import Foundation
import Imaging
import StyleTransfer
import Vision

extension MLStyleTransfer {
  /// The pictures that a style is trained with.
  public enum DataSource {
    /// A painting, and a folder of photos to practise on.
    ///
    /// With ``Vision/VNImageCropAndScaleOption/centerCrop`` or none, squares are cut out of the photos
    /// at many places and sizes; otherwise whole photos are fitted into squares.
    case images(
      styleImage: URL, contentDirectory: URL,
      processingOption: VNImageCropAndScaleOption? = .centerCrop)

    /// The painting, the photos' folder, and how they are fitted.
    var pictures: (style: URL, contents: URL, option: VNImageCropAndScaleOption?) {
      switch self {
      case .images(let style, let contents, let option): return (style, contents, option)
      }
    }

    /// Writes the pictures as a training with this density sees them.
    ///
    /// - Parameters:
    ///   - textelDensity: the shorter side of the painting in pixels.
    ///   - styleImageDestination: the painting's file (.png or .jpg); a temporary one unless given.
    ///   - contentImagesDestination: the photos' folder; a temporary one unless given.
    public func processImages(
      textelDensity: Int, styleImageDestination: URL? = nil, contentImagesDestination: URL? = nil
    ) throws -> (processedStyleImage: URL, processedContentImages: URL) {
      let (style, contents, option) = pictures
      guard StyleTrainingSettings.densities.contains(textelDensity) else {
        throw MLCreateError.generic(
          reason: "The texel density is \(textelDensity), expected 64 to 1024.")
      }
      let scratch: URL = FileManager.default.temporaryDirectory.appendingPathComponent(
        "createml-\(UUID().uuidString)", isDirectory: true)
      let styleFile: URL = styleImageDestination ?? scratch.appendingPathComponent("style.png")
      let folder: URL =
        contentImagesDestination ?? scratch.appendingPathComponent("content", isDirectory: true)
      try creating {
        for place in [styleFile.deletingLastPathComponent(), folder] {
          try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        }
        let painting = try Picture(contentsOf: style)
        try painting.asStylePicture(texelDensity: textelDensity).write(toFile: styleFile.path)
        let mode: CropAndScale = (option ?? .centerCrop).fitting
        for file in try ContentPictures(folder: contents).files {
          guard let photo = try? Picture(contentsOf: file) else { continue }
          let name: String = file.deletingPathExtension().lastPathComponent
          try photo.withoutAlpha.fitted(
            toWidth: StyleTrainingSettings().pictureSide,
            height: StyleTrainingSettings().pictureSide, mode: mode
          ).write(toFile: folder.appendingPathComponent("\(name).png").path)
        }
      }
      return (styleFile, folder)
    }
  }
}

extension VNImageCropAndScaleOption {
  /// The same in the terms of the module that scales.
  var fitting: CropAndScale {
    switch self {
    case .centerCrop: return .centerCrop
    case .scaleFit: return .scaleFit
    case .scaleFill: return .scaleFill
    case .scaleFitRotate90CCW: return .scaleFitRotate90CCW
    case .scaleFillRotate90CCW: return .scaleFillRotate90CCW
    }
  }
}
