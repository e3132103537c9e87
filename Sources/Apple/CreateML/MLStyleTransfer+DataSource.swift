import Foundation
import Imaging
import StyleTransfer
import Vision

extension MLStyleTransfer {
  /// The training images of a style.
  public enum DataSource {
    /// A painting for the style, and a folder of photos for the content.
    ///
    /// With ``Vision/VNImageCropAndScaleOption/centerCrop`` or nil, the training uses square crops at many positions
    /// and sizes. With other options, the training scales each whole photo to a square, as the option says.
    case images(
      styleImage: URL, contentDirectory: URL,
      processingOption: VNImageCropAndScaleOption? = .centerCrop)

    /// The painting, the folder of photos, and the scaling option.
    var pictures: (style: URL, contents: URL, option: VNImageCropAndScaleOption?) {
      switch self {
      case .images(let style, let contents, let option): return (style, contents, option)
      }
    }

    /// Writes the painting and the photos in the sizes that a training uses. The painting has the given texel density.
    /// The photos are scaled to the square that a training uses for whole photos.
    ///
    /// - Parameters:
    ///   - textelDensity: The shorter side of the painting in pixels, 64 to 1024.
    ///   - styleImageDestination: The file to which the method writes the painting (.png or .jpg); nil for a temporary
    ///     file.
    ///   - contentImagesDestination: The folder to which the method writes the photos; nil for a temporary folder.
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
        for directory in [styleFile.deletingLastPathComponent(), folder] {
          try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
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
  /// The corresponding option of the module `Imaging`.
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
