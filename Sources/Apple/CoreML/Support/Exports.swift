// Apple's CoreML re-exports these modules, so files that import only CoreML can use their types.
@_exported import CoreGraphics
@_exported import CoreImage
@_exported import CoreVideo
@_exported import Foundation
@_exported import ImageIO
